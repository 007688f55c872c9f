// A task may have several heads and losses, and a batch more tensors than a plan asks for.

#include "train/task.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "data/batch.h"
#include "models/blocks.h"
#include "ops/activation.h"
#include "ops/cross_entropy.h"
#include "ops/pooling.h"
#include "ops/vocabulary.h"

namespace convoy {
namespace {

// One trunk, two classifiers with labels of their own.
class TwoHeads : public Task {
 public:
  TwoHeads(float first, float second) : first_(first), second_(second) {}

  TaskGraph build(const TaskShape& shape) const override {
    TaskGraph task;
    Builder b(task.graph, shape.train);
    const Value image =
        b.input("image", {{shape.batch, shape.image[0], shape.image[1], shape.image[2]}});
    const Value kind = b.input("kind", {{shape.batch}, DType::s32});
    const Value colour = b.input("colour", {{shape.batch}, DType::s32});
    const Value trunk = ops::global_avg_pool(b, ops::relu(b, conv(b, "trunk", image, {.out = 16})));
    const Value a = ops::softmax_cross_entropy(b, linear(b, "kind", trunk, 5), kind);
    const Value c = ops::softmax_cross_entropy(b, linear(b, "colour", trunk, 3), colour);
    b.output("kind_loss", a);
    b.output("colour_loss", c);
    task.loss_scale = b.input("loss_scale", {});
    task.losses = {{a, first_}, {c, second_}};
    return task;
  }
  void count(const Executor& executor, int64_t valid, Tally& tally) const override {
    for (const char* name : {"kind_loss", "colour_loss"}) {
      for (int64_t i = 0; i < valid; ++i) tally.loss += executor.output(name)[i];
    }
    tally.samples += valid;
  }

 private:
  float first_, second_;
};

void fill(Batch& batch) {
  Random random(7);
  for (int64_t i = 0; i < 4 * 3 * 64; ++i) {
    batch.data<float>("image")[i] = static_cast<float>(random.normal());
  }
  for (int i = 0; i < 4; ++i) {
    batch.data<int32_t>("kind")[i] = i % 5;
    batch.data<int32_t>("colour")[i] = i % 3;
  }
  batch.valid = 4;
}

struct Result {
  std::vector<float> grads;
  Tally tally;
};

Result run_once(float first, float second) {
  const TwoHeads task(first, second);
  TaskGraph built = task.build({4, 1, {3, 8, 8}, true});
  CompileOptions options;
  options.losses = built.losses;
  options.loss_scale = built.loss_scale;
  options.vocabulary = ops::vocabulary();
  const Plan plan = compile(std::move(built.graph), options);
  State state(plan.state, 0, false);
  state.initialize(3);
  ThreadPool pool(2);
  const Plan* plans[] = {&plan};
  const Workspace workspace(plans, pool.size());
  Executor executor(plan, state, workspace, pool);
  Batch batch({{"image", {{4, 3, 8, 8}}},
               {"kind", {{4}, DType::s32}},
               {"colour", {{4}, DType::s32}},
               {"unused", {{4}, DType::s64}}});
  fill(batch);
  for (const NamedTensor& tensor : batch.tensors()) {
    EXPECT_EQ(executor.try_bind(tensor.name, tensor.data), tensor.name != "unused");
  }
  const float scale = 1;
  executor.bind("loss_scale", &scale);
  executor.run();
  Result result{{state.grads().begin(), state.grads().end()}, {}};
  task.count(executor, batch.valid, result.tally);
  return result;
}

TEST(Task, TwoHeadsGiveTheWeightedSumOfTheirGradients) {
  const Result both = run_once(1, 0.3f), first = run_once(1, 0), second = run_once(0, 1);
  ASSERT_FALSE(both.grads.empty());
  double size = 0;
  for (size_t i = 0; i < both.grads.size(); ++i) {
    const double expected =
        static_cast<double>(first.grads[i]) + 0.3 * static_cast<double>(second.grads[i]);
    EXPECT_NEAR(both.grads[i], expected, 1e-6);
    size += std::abs(expected);
  }
  EXPECT_GT(size, 0.1);
  EXPECT_EQ(both.tally.samples, 4);
  EXPECT_DOUBLE_EQ(both.tally.loss, first.tally.loss);
}

}  // namespace
}  // namespace convoy
