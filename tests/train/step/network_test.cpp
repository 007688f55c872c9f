// A network for photographs has the same weights after some steps on any number of threads.

#include "train/step/network.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/model.h"
#include "support/network.h"
#include "train/checkpoint/tensors.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

constexpr int64_t batch = 8;
constexpr int classes = 1000;

std::string hash_after_steps(const std::string& model, const Shape& image, int threads,
                             const std::vector<int>& cores = {}) {
  const Classification task(find_model(model).variant, classes, {});
  const auto optimizer = default_optimizer("sgd");
  const NetworkPlans plans(
      task,
      {.image = image, .watch = {}, .optimizer = optimizer.get(), .step = {.micro_batch = batch}});
  // Both ways of computing a convolution are in it.
  const auto kernels = [&](bool winograd) {
    const std::vector<PlanOp>& steps = plans.find("train")->ops;
    return std::count_if(steps.begin(), steps.end(), [&](const PlanOp& step) {
      const std::string label = step.kernel->implementation();
      return !label.empty() && label.starts_with("winograd") == winograd;
    });
  };
  EXPECT_GT(kernels(true), 5);
  EXPECT_GT(kernels(false), 5);
  Network network(plans, threads, cores);
  State& state = network.state();
  state.initialize(1);
  const auto hash = [&] {
    return weights_hash(model_tensors(state.layout(), state.params(), state.stats()));
  };
  const std::string start = hash();
  const NoiseBatch data(batch, image, classes);
  for (int step = 0; step < 2; ++step) {
    const StepInputs inputs{.learning_rate = 0.1f, .step = float(step)};
    network.steps().run(inputs, [&]() -> const Batch& { return data; });
  }
  EXPECT_NE(hash(), start);
  return hash();
}

TEST(NetworkRun, ThreadsChangeNoBitOfResNet50At64Pixels) {
  const Shape image{3, 64, 64};
  const std::string expected = hash_after_steps("resnet50", image, 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(hash_after_steps("resnet50", image, threads), expected) << threads << " threads";
  }
}

TEST(NetworkRun, NeitherThreadsNorPinningChangeABitOfResNet18At64Pixels) {
  const Shape image{3, 64, 64};
  const std::string expected = hash_after_steps("resnet18", image, 1);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(hash_after_steps("resnet18", image, threads), expected) << threads << " threads";
  }
  const auto all = static_cast<int>(allowed_cores().size());
  EXPECT_EQ(hash_after_steps("resnet18", image, all, cores_to_pin(all)), expected) << "pinned";
  EXPECT_EQ(static_cast<int>(allowed_cores().size()), all);  // the caller is free again
}

}  // namespace
}  // namespace convoy::test
