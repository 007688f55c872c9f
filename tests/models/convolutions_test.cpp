// What the plans of whole models are made of: which convolution kernels run, and where layouts
// change.

#include <gtest/gtest.h>

#include <set>

#include "models/model.h"
#include "support/network.h"
#include "train/step/network.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

NetworkPlans plans_of(const Classification& task, const Optimizer& optimizer, int64_t size,
                      StepShape step) {
  return NetworkPlans(task, {.image = {3, size, size},
                             .eval_batch = 2,
                             .watch = {},
                             .optimizer = &optimizer,
                             .step = step});
}

class ResNetPlans : public testing::TestWithParam<std::string> {
 protected:
  Classification task{find_model(GetParam()).variant, 1000, {}};
  std::unique_ptr<Optimizer> optimizer = default_optimizer("sgd");
  NetworkPlans plans = plans_of(task, *optimizer, 224, {.micro_batch = 4});
};

TEST_P(ResNetPlans, RunNoReferenceOrMatrixProductConvolution) {
  int named = 0;
  for (const Plan* plan : plans.pointers()) {
    for (const PlanOp& step : plan->ops) {
      const std::string how = step.kernel->implementation();
      if (how.empty()) continue;
      ++named;
      EXPECT_EQ(how.find("ref"), std::string::npos)
          << how << ", " << plan->graph.node(step.node).name;
      EXPECT_EQ(how.find("gemm"), std::string::npos)
          << how << ", " << plan->graph.node(step.node).name;
    }
  }
  EXPECT_GT(named, 60);
}

TEST_P(ResNetPlans, ReorderNothingBetweenStemAndHead) {
  for (const Plan* plan : plans.pointers()) {
    for (const PlanOp& step : plan->ops) {
      const Node& node = plan->graph.node(step.node);
      EXPECT_NE(node.op->name, "reorder") << node.name;
    }
  }
}

TEST_P(ResNetPlans, HaveNoGradientOfTheImages) {
  const Plan& train = *plans.find("train");
  for (const PlanOp& step : train.ops) {
    const Node& node = train.graph.node(step.node);
    for (const Value v : node.out) {
      EXPECT_NE(train.graph.type(v).shape, (Shape{4, 3, 224, 224})) << node.name;
    }
  }
}

// All of the family but those with grouped convolutions, which have kernels of their own.
std::vector<std::string> resnets() {
  std::vector<std::string> names;
  for (const Variant& variant : find_model("resnet50").family.variants) {
    if (!variant.name.starts_with("resnext")) names.push_back(variant.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ResNetPlans, testing::ValuesIn(resnets()),
                         [](const auto& given) { return given.param; });

// Several micro-batches make a step: only the first run of the plan packs the weights.
TEST(HeldWeights, ArePackedOnceAStepAndGiveTheSameBits) {
  const Classification task(find_model("cifar_resnet8").variant, 10, {});
  const auto optimizer = default_optimizer("sgd");
  const StepShape step{.micro_batch = 4, .accumulation = 3};
  const NetworkPlans plans = plans_of(task, *optimizer, 32, step);
  const Plan& train = *plans.find("train");
  ASSERT_TRUE(train.packs_once);
  EXPECT_GE(train.packed_bytes, 2 * 72'000 * sizeof(float)) << "forward and input gradient";

  Network network(plans, 2);
  network.state().initialize(1);
  const NoiseBatch data(4, {3, 32, 32}, 10);
  Executor& run = *network.gradients();
  for (const NamedTensor& tensor : data.tensors()) run.try_bind(tensor.name, tensor.data);
  const float whole = 1;
  run.bind("loss_scale", &whole);
  const auto gradients = [&](Executor::Parameters parameters) {
    run.run(parameters);
    return std::vector<float>(network.state().grads().begin(), network.state().grads().end());
  };
  const auto first = gradients(Executor::Parameters::changed);
  EXPECT_EQ(gradients(Executor::Parameters::same), first);
  // What was packed is what runs: new parameters are not seen until they are said to have changed.
  for (float& w : network.state().params()) w *= 0.5f;
  const auto stale = gradients(Executor::Parameters::same);
  const auto fresh = gradients(Executor::Parameters::changed);
  EXPECT_NE(stale, fresh);
}

TEST(HeldWeights, ANewStepSeesTheUpdate) {
  const Classification task(find_model("cifar_resnet8").variant, 10, {});
  const auto optimizer = default_optimizer("sgd");
  const NoiseBatch data(4, {3, 32, 32}, 10);
  // Two micro-batches of the same images give the mean of one, twice over: the same updates.
  const auto losses = [&](StepShape step) {
    const NetworkPlans plans = plans_of(task, *optimizer, 32, step);
    Network network(plans, 2);
    network.state().initialize(1);
    std::vector<double> all;
    for (int i = 0; i < 4; ++i) {
      const Results& results = network.steps().run({.learning_rate = 0.1f, .step = float(i)},
                                                   [&]() -> const Batch& { return data; });
      all.push_back(results.mean_loss());
    }
    return all;
  };
  EXPECT_EQ(losses({.micro_batch = 4}), losses({.micro_batch = 4, .accumulation = 2}));
}

}  // namespace
}  // namespace convoy::test
