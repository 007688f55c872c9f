// Networks of every family train to the same weights however their activations are kept, with one
// replica and several, together, in sequence, in lockstep, and with accumulation.

#include <gtest/gtest.h>

#include "models/model.h"
#include "support/network.h"
#include "train/checkpoint/tensors.h"
#include "train/step/network.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

constexpr int classes = 10;

struct Case {
  std::string model;
  int64_t pixels;
  bool bf16 = false;
  StepShape step = {.micro_batch = 2};
};

struct Trained {
  std::string hash;
  size_t least_bytes = 0;
};

Trained train(const Case& c, Recompute mode) {
  const Classification task(find_model(c.model).variant, classes, {});
  const auto optimizer = default_optimizer("sgd");
  const Shape image = find_model(c.model).image(c.pixels);
  NetworkSpec spec{.image = image,
                   .watch = {},
                   .recompute = {.mode = mode},
                   .optimizer = optimizer.get(),
                   .step = c.step.of_rank(0)};
  spec.storage.bf16 = c.bf16;
  const NetworkPlans plans(task, spec);
  Network network(plans, 2);
  State& state = network.state();
  state.initialize(1);
  const StepShape& step = plans.step();
  const NoiseBatch data(step.lockstep() ? step.micro_batch : step.plan_batch(), image, classes);
  for (int i = 0; i < 2; ++i) {
    const StepInputs inputs{.learning_rate = 0.1f, .step = float(i)};
    network.steps().run(inputs, [&]() -> const Batch& { return data; });
  }
  return {weights_hash(model_tensors(state.layout(), state.params(), state.stats())),
          plans.find("train")->least_bytes};
}

std::vector<Case> cases() {
  std::vector<Case> all{
      {"cifar_resnet20", 16, false, {.micro_batch = 2, .replicas = 2, .together = true}},
      {"cifar_resnet20", 16, true, {.micro_batch = 2, .replicas = 2, .together = false}},
      {"cifar_resnet20", 16, false, {.micro_batch = 2, .accumulation = 2, .together = false}},
      {"cifar_resnet20",
       16,
       true,
       {.micro_batch = 2, .replicas = 2, .together = false, .span = 2}}};
  // The smallest network of every family of classifiers, in both storage types.
  for (const ModelDef& family : model_catalog()) {
    if (family.task != "classification") continue;
    for (const bool bf16 : {false, true}) {
      all.push_back({family.variants.front().name, family.image_size > 64 ? 64 : 32, bf16});
    }
  }
  return all;
}

TEST(RecomputeRun, ChangesNoWeightOfAnyFamily) {
  for (const Case& c : cases()) {
    const Trained expected = train(c, Recompute::off);
    const std::string what = c.model + (c.bf16 ? " bf16" : "");
    for (const Recompute mode : {Recompute::cheap, Recompute::blocks}) {
      const Trained found = train(c, mode);
      EXPECT_EQ(found.hash, expected.hash) << what << " " << word_of(mode);
      // Where a step needs most while it computes gradients, cheap values make no difference.
      EXPECT_LE(found.least_bytes, expected.least_bytes) << what << " " << word_of(mode);
      if (mode == Recompute::blocks) {
        EXPECT_LT(found.least_bytes, expected.least_bytes) << what;
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
