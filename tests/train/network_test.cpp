// A network for photographs has the same weights after some steps on any number of threads.

#include "train/network.h"

#include <gtest/gtest.h>

#include "models/model.h"
#include "support/network.h"
#include "train/classification.h"
#include "train/tensors.h"

namespace convoy::test {
namespace {

constexpr int64_t batch = 8;
constexpr int classes = 1000;

std::string hash_after_steps(const std::string& model, const Shape& image, int threads) {
  const Classification task(find_model(model).variant, classes, {});
  const auto optimizer = default_optimizer("sgd");
  const NetworkPlans plans(
      task,
      {.image = image, .watch = {}, .optimizer = optimizer.get(), .step = {.micro_batch = batch}});
  Network network(plans, threads);
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

}  // namespace
}  // namespace convoy::test
