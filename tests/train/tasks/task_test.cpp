// A task of several heads and losses on a batch of several labels: what detection will need, in
// small. Also one step of training, seen from inside.

#include "train/tasks/task.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>

#include "base/random.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/linear.h"
#include "ops/loss/cross_entropy.h"
#include "ops/pooling.h"
#include "support/loss_results.h"
#include "support/session.h"
#include "train/step/network.h"

namespace convoy {
namespace {

constexpr int64_t samples = 24, classes = 5, groups = 2;

// What an image shows, and to which of two groups it belongs.
class TwoHeads : public Task {
 public:
  TwoHeads(float first, float second) : weights_{first, second} {}

  TaskGraph build(const TaskShape& shape) const override {
    TaskGraph task;
    task.graph.replicas = shape.replicas;
    Builder b(task.graph, shape.train);
    const Shape& c = shape.image;
    const Value image = b.input("image", {{shape.batch, c[0], c[1], c[2]}});
    const Value w = b.param("trunk", {16, c[0], 3, 3}, {Init::Kind::normal, 0.2f});
    Value x = ops::convolution(b, image, w, {.stride = 1, .padding = {1, 1, 1, 1}});
    x = ops::global_avg_pool(b, ops::relu(b, x));
    const Value first = head(b, x, "what", classes), second = head(b, x, "group", groups);
    b.output("loss", first);
    b.output("group_loss", second);
    if (shape.train) {
      task.loss_scale = b.input("loss_scale", {});
      task.losses = {{first, weights_[0]}, {second, weights_[1]}};
    }
    return task;
  }

  std::unique_ptr<Results> results() const override { return test::loss_results(); }

  // The losses as they are weighted in training.
  void read(const Executor& executor, const Batch& batch, Rows& rows) const override {
    for (int64_t i = 0; i < batch.valid; ++i) {
      rows.add(std::array{static_cast<double>(weights_[0] * executor.output("loss")[i] +
                                              weights_[1] * executor.output("group_loss")[i])});
    }
  }

 private:
  static Value head(Builder& b, Value x, const std::string& name, int64_t outputs) {
    const auto scope = b.scope(name);
    const Value w = b.param("weight", {outputs, 16}, {Init::Kind::normal, 0.3f});
    const Value bias = b.param("bias", {outputs}, {}, false);
    const Value label = b.input(name + "_label", {{b.shape(x)[0]}, DType::s32});
    return ops::softmax_cross_entropy(b, ops::linear(b, x, w, bias), label);
  }

  std::array<float, 2> weights_;
};

using Types = std::vector<std::pair<std::string, TensorType>>;

// In an order of its own, with a tensor that no input needs.
const Types whole_batch{{"unused", {{samples, 3}}},
                        {"group_label", {{samples}, DType::s32}},
                        {"image", {{samples, 3, 6, 6}}},
                        {"what_label", {{samples}, DType::s32}}};

constexpr int64_t plane = 36, pixels = 3 * plane;

// The first two channels say what to answer.
void fill(const Batch& batch, int64_t first, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t what = (first + i) % classes, group = (first + i) / 3 % groups;
    batch.data<int32_t>("what_label")[i] = static_cast<int32_t>(what);
    batch.data<int32_t>("group_label")[i] = static_cast<int32_t>(group);
    Random random(random_key(1, Purpose::generated, static_cast<uint64_t>(first + i)));
    for (int64_t p = 0; p < pixels; ++p) {
      const int64_t told = p < plane ? what : p < 2 * plane ? 2 * group : 0;
      batch.data<float>("image")[i * pixels + p] =
          static_cast<float>(static_cast<double>(told) - 1 + 0.1 * random.normal());
    }
  }
}

struct Training {
  TwoHeads task;
  Fields field{Settings{{"momentum", {"0.9", "test"}}}};
  std::unique_ptr<Optimizer> optimizer = find_optimizer("sgd").make(field, {1, {.weight = 0}});
  NetworkPlans plans;
  Network network;
  Batch batch{whole_batch};

  explicit Training(float first = 1, float second = 0.3f, StepShape step = {.micro_batch = samples})
      : task(first, second),
        plans(task, {.image = {3, 6, 6},
                     .eval_batch = 0,
                     .watch = {},
                     .optimizer = optimizer.get(),
                     .step = step,
                     .tail_batch = 0,
                     .average = false}),
        network(plans, 2) {
    network.state().initialize(7);
    fill(batch, 0, samples);
    std::fill_n(batch.data<float>("unused"), samples * 3, NAN);
    batch.valid = samples;
  }

  const Results& step(const StepInputs& inputs) {
    return network.steps().run(inputs, [&]() -> const Batch& { return batch; });
  }
  std::vector<float> copy(std::span<float> region) { return {region.begin(), region.end()}; }
};

TEST(Task, TwoHeadsWithTwoLossesTrain) {
  Training training;
  const double before = training.step({.learning_rate = 0.05f}).mean_loss();
  double after = before;
  for (int i = 1; i < 150; ++i) {
    after = training.step({.learning_rate = 0.05f, .step = static_cast<float>(i)}).mean_loss();
  }
  EXPECT_GT(before, 1.0);
  EXPECT_LT(after, before / 3);
}

TEST(Task, TheGradientIsTheWeightedSumOfTheLosses) {
  const auto gradient_of = [](float first, float second) {
    Training training(first, second);
    training.step({.learning_rate = 0});
    return training.copy(training.network.state().grads());
  };
  const std::vector<float> both = gradient_of(1, 0.3f), one = gradient_of(1, 0),
                           other = gradient_of(0, 1);
  double largest = 0;
  for (size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], one[i] + 0.3f * other[i], 1e-6f) << i;
    largest = std::max(largest, static_cast<double>(std::abs(both[i] - one[i])));
  }
  EXPECT_GT(largest, 1e-3);  // the second loss is heard at all
}

TEST(StepRunner, ASkippedUpdateLeavesParametersAndMomentum) {
  Training training;
  training.step({.learning_rate = 0.1f});
  const State& state = training.network.state();
  const std::vector<float> params = training.copy(state.params()),
                           momentum = training.copy(state.slot(0));
  EXPECT_EQ(training.step({.learning_rate = 0.1f, .skip_update = true}).samples(), samples);
  EXPECT_EQ(training.copy(state.params()), params);
  EXPECT_EQ(training.copy(state.slot(0)), momentum);
  training.step({.learning_rate = 0.1f});
  EXPECT_NE(training.copy(state.params()), params);
}

TEST(StepRunner, ALossThatIsNoNumberSkipsTheUpdate) {
  Training training;
  training.step({.learning_rate = 0.1f});
  const State& state = training.network.state();
  const std::vector<float> params = training.copy(state.params());
  training.batch.data<float>("image")[5] = INFINITY;
  EXPECT_FALSE(std::isfinite(training.step({.learning_rate = 0.1f}).loss()));
  EXPECT_EQ(training.copy(state.params()), params);
}

// Without batch norm a batch in pieces has the gradient of the whole: the mean over micro-batches
// of the mean over samples.
TEST(StepRunner, MicroBatchesAndReplicasAddUpToTheWholeBatch) {
  const auto params_after = [](StepShape shape) {
    Training training(1, 0.3f, shape);
    const int64_t each = shape.plan_batch();
    std::deque<Batch> parts;
    for (int64_t first = 0; first < samples; first += each) {
      Batch& part = parts.emplace_back(Types{{"image", {{each, 3, 6, 6}}},
                                             {"what_label", {{each}, DType::s32}},
                                             {"group_label", {{each}, DType::s32}}});
      fill(part, first, each);
      part.valid = each;
    }
    auto next = parts.begin();
    const StepInputs inputs{.learning_rate = 0.1f, .loss_scale = 8};
    const Results& results =
        training.network.steps().run(inputs, [&]() -> const Batch& { return *next++; });
    EXPECT_EQ(results.samples(), samples);
    return training.copy(training.network.state().params());
  };
  const std::vector<float> whole = params_after({.micro_batch = samples});
  for (const StepShape shape : {StepShape{samples / 2, 2, 1, false},
                                {samples / 2, 2, 1, true},
                                {samples / 4, 1, 4, false},
                                {samples / 6, 3, 2, false},
                                {samples / 3, 3, 1, true}}) {
    const std::vector<float> parts = params_after(shape);
    ASSERT_EQ(parts.size(), whole.size());
    for (size_t i = 0; i < whole.size(); ++i) {
      EXPECT_NEAR(parts[i], whole[i], 1e-6f)
          << shape.replicas << " x " << shape.accumulation << " at " << i;
    }
  }
}

}  // namespace
}  // namespace convoy
