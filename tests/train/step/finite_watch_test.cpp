// Values that are not finite, put into a small network in a known place.

#include "train/step/finite_watch.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "kernels/cast.h"
#include "support/raises.h"
#include "support/session.h"
#include "support/small_net.h"
#include "train/step/value_scan.h"

namespace convoy {
namespace {

constexpr int64_t batch = 6, size = 8;
constexpr float inf = std::numeric_limits<float>::infinity();

// The training plan of a small residual network with 12 channels, which blocks pad.
struct Net {
  Plan plan;
  State state;
  Workspace workspace;
  Executor executor;
  std::vector<float> image = std::vector<float>(batch * 3 * size * size);
  std::vector<int32_t> label = std::vector<int32_t>(batch);
  std::vector<int64_t> key = std::vector<int64_t>(batch);
  float loss_scale = 1;

  explicit Net(Plan made)
      : plan(std::move(made)),
        state(plan.state, 0, false),
        workspace(std::array<const Plan*, 1>{&plan}, 2),
        executor(plan, state, workspace, test::pool(2)) {
    state.initialize(5);
    for (size_t i = 0; i < image.size(); ++i) image[i] = std::sin(static_cast<float>(i));
    executor.bind("image", image.data());
    executor.bind("label", label.data());
    executor.bind("key", key.data());
    executor.bind("loss_scale", &loss_scale);
  }

  std::optional<NonFiniteValue> run() {
    FiniteWatch watch(test::pool(2));
    Executor* const members[] = {&executor};
    executor.observe(&watch);
    watch.begin_run("train", members, 100, batch);
    executor.run();
    watch.end_step(state);
    executor.observe(nullptr);
    return watch.found();
  }
};

Plan make_plan(StorageRules storage = {}) {
  Graph graph;
  Builder b(graph, true);
  const test::SmallNet net = test::small_net(b, batch, size, 12);
  return test::plan(std::move(graph), {{net.loss}}, net.loss_scale, {}, std::move(storage));
}

TEST(FiniteWatch, FindsNothingInAGoodStepOfAnyStorage) {
  for (const StorageRules& storage : {StorageRules{}, StorageRules{.bf16 = true},
                                      StorageRules{.bf16 = true, .narrow = DType::f16}}) {
    Net net(make_plan(storage));
    EXPECT_FALSE(net.run()) << net.run()->line();
  }
}

TEST(FiniteWatch, AnImageWithANanIsNamedBeforeAllThatFollowsFromIt) {
  Net net(make_plan());
  net.image[4 * 3 * size * size + 17] = std::nanf("");
  const auto found = net.run();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->op, "");
  EXPECT_EQ(found->node, "input image");
  EXPECT_EQ(found->kind(), "nan");
  EXPECT_EQ(found->samples, std::vector<int64_t>{104});
  EXPECT_FALSE(found->by_magnitude);
  EXPECT_EQ(found->range.others, 1);
  EXPECT_EQ(found->range.count, batch * 3 * size * size);
}

TEST(FiniteWatch, AParameterIsNamedAndAnOverflowingOpWithItsInputs) {
  Net net(make_plan());
  const StateLayout::Slot& slot = net.plan.state.params.front();
  const std::span<float> weights =
      net.state.params().subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count));
  weights[3] = inf;
  auto found = net.run();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, "parameter " + slot.name);
  EXPECT_EQ(found->kind(), "inf");

  for (float& w : weights) w = 3e38f;  // finite: the first product overflows
  found = net.run();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->op, "convolution") << found->line();
  ASSERT_GE(found->inputs.size(), 2u);
  EXPECT_EQ(found->inputs[0].from, "input image");
  EXPECT_EQ(found->inputs[1].from, "parameter " + slot.name);
  EXPECT_NEAR(found->inputs[1].range.high, 3e38, 1e33);
  EXPECT_NEAR(found->inputs[0].range.low, -1, 0.01);
  EXPECT_FALSE(found->samples.empty());
}

TEST(FiniteWatch, AGradientThatOverflowsByTheLossScaleIsFoundInTheBackwardPass) {
  Net net(make_plan(StorageRules{.bf16 = true, .narrow = DType::f16}));
  net.loss_scale = 1e7f;
  const auto found = net.run();
  ASSERT_TRUE(found);
  // The gradient of the loss is fp32, its copy for the linear layer is not.
  EXPECT_EQ(found->op, "cast") << found->line();
  ASSERT_EQ(found->inputs.size(), 1u);
  EXPECT_EQ(found->inputs[0].from.find("softmax_cross_entropy_grad"), 0u) << found->inputs[0].from;
  EXPECT_GT(found->inputs[0].range.high, 65504);
  net.loss_scale = 64;
  EXPECT_FALSE(net.run());
}

TEST(FiniteWatch, RaisesAtOnceWithTheNamesOfTheSamples) {
  Net net(make_plan());
  net.image[1 * 3 * size * size] = -inf;
  FiniteWatch watch(test::pool(2));
  watch.raise_in(7, [](int64_t place) { return fmt::format("file {}", place); });
  Executor* const members[] = {&net.executor};
  test::expect_raises(Fault::diverged, {"step 7", "inf in input image", "file 101"},
                      [&] { watch.begin_run("train", members, 100, batch); });
}

TEST(ValueScan, RangesOfEveryTypeAndLayout) {
  std::vector<float> values(3000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 100) - 50;
  values[2100] = inf;
  values[2500] = std::nanf("");
  const TensorType type{{3, 1000}};
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  const std::vector<ValueRange> parts = scan(type, data, 3, test::pool(2));
  EXPECT_EQ(parts[0].others + parts[1].others, 0);
  EXPECT_EQ(parts[2].others, 2);
  const ValueRange all = joined(parts);
  EXPECT_EQ(all.low, -50);
  EXPECT_EQ(all.high, 49);
  EXPECT_EQ(all.count, 3000);
  EXPECT_EQ(all.first_other, 2100);
  EXPECT_FALSE(all.first_is_nan);
  std::vector<uint16_t> half(values.size());
  kernels::f32_to_f16(values.data(), half.data(), 3000);
  const ValueRange narrow = joined(scan(
      {{3, 1000}, DType::f16}, reinterpret_cast<const std::byte*>(half.data()), 1, test::pool(2)));
  EXPECT_EQ(narrow.low, -50);
  EXPECT_EQ(narrow.others, 2);
  // The padding of a blocked layout does not count.
  const TensorType blocked{{2, 3, 5, 5}, DType::f32, Layout::blocked};
  std::vector<float> padded(static_cast<size_t>(stored_count(blocked)), std::nanf(""));
  const auto block = static_cast<size_t>(stored_count(blocked)) / 50;
  for (size_t i = 0; i < padded.size(); ++i) {
    if (i % block < 3) padded[i] = 2;
  }
  const ValueRange real =
      joined(scan(blocked, reinterpret_cast<const std::byte*>(padded.data()), 2, test::pool(2)));
  EXPECT_EQ(real.others, 0);
  EXPECT_EQ(real.count, 150);
  EXPECT_EQ(real.low, 2);
}

}  // namespace
}  // namespace convoy
