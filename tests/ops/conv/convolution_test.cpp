#include "ops/conv/convolution.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/cases.h"
#include "ops/conv/plain_convolution.h"
#include "support/session.h"
#include "support/test_ops.h"

namespace convoy::test {
namespace {

OpCase convolution_case(const Geometry& g) {
  const ops::Padding explicit_padding =
      ops::resolve_padding(g.padding, g.x[2], g.x[3], g.w[2], g.w[3], g.stride);
  return {
      .name =
          fmt::format("convolution {} with {} stride {} pad {},{},{},{} groups {}", to_string(g.x),
                      to_string(g.w), g.stride, explicit_padding.top, explicit_padding.left,
                      explicit_padding.bottom, explicit_padding.right, g.groups),
      .inputs = {{.shape = g.x}, {.shape = g.w, .shared = true}},
      .build =
          [=](Builder& b, std::span<const Value> in) {
            return ops::convolution(b, in[0], in[1],
                                    {.stride = g.stride, .padding = g.padding, .groups = g.groups});
          },
      .reference =
          [=](std::span<const Doubles> in) {
            return plain_convolution(g.x, g.w, g.stride, explicit_padding, g.groups, in[0], in[1]);
          },
      // The worst element of Winograd's filters, which round more; winograd_conv_test bounds them.
      .tolerance = g.w[2] == 3 && g.w[3] == 3 && g.stride == 1 && g.groups == 1 ? 5e-5 : 1e-5};
}

std::vector<OpCase> cases_of(const std::vector<Geometry>& geometries) {
  std::vector<OpCase> cases;
  for (const Geometry& g : geometries) cases.push_back(convolution_case(g));
  return cases;
}

// Windows and strides on odd and even images.
std::vector<OpCase> window_cases() {
  const auto same = ops::Padding::like_tensorflow();
  std::vector<Geometry> all;
  for (const int64_t size : {7, 8}) {
    for (const int64_t window : {1, 3, 5, 7}) {
      for (const int64_t stride : {1, 2}) {
        all.push_back({{2, 8, size, size}, {8, 8, window, window}, stride, same});
      }
    }
  }
  all.push_back({{2, 16, 6, 9}, {16, 16, 3, 3}, 1, {0, 1, 2, 1}});  // nothing symmetric
  all.push_back({{2, 16, 6, 9}, {16, 16, 3, 3}, 2, {0, 0, 1, 1}});  // TensorFlow's, written out
  all.push_back({{1, 16, 7, 7}, {16, 16, 5, 3}, 2, {2, 1, 1, 0}});  // no square window
  all.push_back({{2, 16, 9, 9}, {16, 16, 3, 3}, 3, ops::Padding::all(1)});
  all.push_back({{3, 16, 3, 3}, {24, 16, 3, 3}, 1, {}});  // one pixel is left
  // Images smaller than the window.
  for (const int64_t stride : {1, 2}) {
    all.push_back({{3, 16, 2, 2}, {32, 16, 3, 3}, stride, ops::Padding::all(1)});
    all.push_back({{35, 24, 1, 2}, {17, 24, 5, 5}, stride, {2, 1, 2, 3}});
    all.push_back({{2, 3, 2, 2}, {8, 3, 7, 7}, stride, ops::Padding::all(3)});
  }
  return cases_of(all);
}

std::vector<OpCase> channel_cases() {
  std::vector<Geometry> all;
  for (const int64_t in : {1, 3, 5, 8, 16, 24, 17}) {
    for (const int64_t out : {1, 5, 16, 17}) {
      all.push_back({{2, in, 5, 5}, {out, in, 3, 3}, 1, ops::Padding::all(1)});
    }
    all.push_back({{2, in, 5, 5}, {24, in, 1, 1}, 1, {}});
    all.push_back({{2, in, 6, 6}, {8, in, 1, 1}, 2, {}});  // a projection shortcut
  }
  return cases_of(all);
}

std::vector<OpCase> group_cases() {
  const auto pad = ops::Padding::all(1);
  return cases_of({{{2, 16, 6, 6}, {16, 4, 3, 3}, 1, pad, 4},  // 4 channels a group (ResNeXt)
                   {{4, 32, 6, 6}, {32, 4, 3, 3}, 2, pad, 8},
                   {{2, 32, 5, 5}, {64, 16, 3, 3}, 1, pad, 2},  // whole blocks
                   {{2, 64, 4, 4}, {32, 32, 1, 1}, 1, {}, 2},
                   {{2, 6, 5, 5}, {9, 2, 3, 3}, 1, pad, 3},
                   {{2, 16, 6, 6}, {16, 1, 3, 3}, 1, pad, 16},  // depthwise
                   {{2, 32, 7, 7}, {32, 1, 5, 5}, 2, ops::Padding::like_tensorflow(), 32},
                   {{2, 24, 6, 6}, {24, 1, 3, 3}, 1, pad, 24},
                   {{2, 5, 6, 6}, {5, 1, 3, 3}, 2, pad, 5},
                   {{2, 8, 5, 5}, {16, 1, 3, 3}, 1, pad, 8},    // two outputs each
                   {{2, 32, 5, 17}, {32, 8, 3, 3}, 1, pad, 4},  // 8 a group, rows of many pixels
                   {{3, 24, 9, 16}, {24, 8, 3, 3}, 2, pad, 3},
                   {{2, 40, 7, 30}, {40, 4, 3, 3}, 1, pad, 10},  // no whole blocks
                   {{2, 12, 8, 15}, {12, 2, 3, 3}, 2, {0, 0, 1, 1}, 6},
                   {{2, 16, 7, 5}, {16, 4, 1, 1}, 2, {}, 4},  // pixels that nothing reads
                   {{2, 16, 10, 11}, {16, 4, 5, 3}, 3, {2, 1, 0, 1}, 4},
                   {{2, 16, 2, 3}, {16, 1, 5, 5}, 1, ops::Padding::all(2), 16},  // a large window
                   {{2, 24, 15, 14}, {24, 1, 5, 5}, 2, {1, 2, 2, 1}, 24},
                   {{2, 40, 9, 9}, {40, 1, 7, 7}, 1, ops::Padding::all(3), 40},
                   {{33, 8, 3, 3}, {8, 4, 3, 3}, 1, pad, 2}});
}

// Every small batch, and batches whose slices have a shorter one at the end: forward with more
// than 32 images, the weight gradient of large weights with an odd batch.
std::vector<OpCase> batch_cases() {
  std::vector<Geometry> all;
  for (int64_t n = 1; n <= 9; ++n) {
    all.push_back({{n, 8, 4, 4}, {16, 8, 3, 3}, 1, ops::Padding::all(1)});
  }
  for (const int64_t n : {33, 40, 65, 67}) {
    all.push_back({{n, 5, 3, 3}, {8, 5, 3, 3}, 1, ops::Padding::all(1)});
    all.push_back({{n, 3, 3, 3}, {8, 3, 3, 3}, 2, ops::Padding::all(1)});
    all.push_back({{n, 8, 2, 2}, {16, 4, 1, 1}, 1, {}, 2});
  }
  all.push_back({{3, 128, 1, 1}, {544, 128, 1, 1}, 1, {}});
  all.push_back({{7, 96, 2, 2}, {96, 96, 3, 3}, 1, ops::Padding::all(1)});
  return cases_of(all);
}

std::vector<OpCase> convolution_cases() {
  std::vector<OpCase> all;
  for (auto& cases : {window_cases(), channel_cases(), group_cases(), batch_cases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

const RegisteredOps registered(ops_of<convolution_cases>);

TEST(ConvolutionOp, AgreesWithPlainLoopsForWindowsStridesAndPadding) {
  for (const OpCase& c : window_cases()) check(c);
}
TEST(ConvolutionOp, AgreesWithPlainLoopsForAnyNumberOfChannels) {
  for (const OpCase& c : channel_cases()) check(c);
}
TEST(ConvolutionOp, AgreesWithPlainLoopsForGroups) {
  for (const OpCase& c : group_cases()) check(c);
}
TEST(ConvolutionOp, AgreesWithPlainLoopsForAnyBatch) {
  for (const OpCase& c : batch_cases()) check(c);
}

// Weight gradients that bf16 computes by parts of the outputs: in one group of images and in
// several, with a shorter last one, in wide and in narrow parts.
TEST(ConvolutionOp, AgreesWithPlainLoopsForLargeWeights) {
  for (const OpCase& c : cases_of({{{4, 144, 2, 2}, {1024, 144, 1, 1}, 1, {}},
                                   {{9, 1040, 1, 2}, {128, 1040, 1, 1}, 1, {}},
                                   {{10, 80, 3, 3}, {192, 80, 3, 3}, 2, ops::Padding::all(1)}}))
    check(c);
}

TEST(ConvolutionOp, SamePaddingIsThatOfTensorFlow) {
  const auto resolved = [](int64_t in, int64_t window, int64_t stride) {
    const ops::Padding p =
        ops::resolve_padding(ops::Padding::like_tensorflow(), in, in, window, window, stride);
    return std::pair(p.top, p.bottom);
  };
  EXPECT_EQ(resolved(224, 7, 2), std::pair(int64_t{2}, int64_t{3}));
  EXPECT_EQ(resolved(32, 3, 1), std::pair(int64_t{1}, int64_t{1}));
  EXPECT_EQ(resolved(32, 3, 2), std::pair(int64_t{0}, int64_t{1}));
  EXPECT_EQ(resolved(33, 3, 2), std::pair(int64_t{1}, int64_t{1}));
  EXPECT_EQ(resolved(32, 1, 2), std::pair(int64_t{0}, int64_t{0}));
}

TEST(ConvolutionOp, RefusesWhatMakesNoSense) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 6, 2, 2}});
  const auto weights = [&](Shape shape) { return b.input("w", {shape}); };
  EXPECT_THROW(ops::convolution(b, x, weights({8, 5, 1, 1}), {}), Error);
  EXPECT_THROW(ops::convolution(b, x, weights({8, 2, 1, 1}), {.groups = 3}), Error);
  EXPECT_THROW(ops::convolution(b, x, weights({8, 6, 3, 3}), {}), Error);
  EXPECT_THROW(ops::convolution(b, x, weights({8, 6, 3, 3}), {.stride = 2}), Error);
  const Value w = b.input("w", {{8, 6, 1, 1}, DType::f16});  // images alone
  EXPECT_THROW(ops::convolution(b, x, w, {}), Error);
}

// Tasks -----------------------------------------------------------------------------------------

struct TaskCounts {
  int forward = 0, grad_input = 0, grad_weights = 0;
};

TaskCounts count_tasks(const Geometry& g, Winograd winograd = Winograd::automatic) {
  Graph graph;
  graph.choices.winograd = winograd;
  Builder b(graph);
  const Value x = b.param("x", g.x, {});
  const Value w = b.param("w", g.w, {});
  const Value y = ops::convolution(b, x, w, {.stride = g.stride, .padding = g.padding});
  b.output("y", y);
  const Value loss_scale = b.input("loss_scale", {Shape{}});
  const Plan made = plan(std::move(graph), {{y}}, loss_scale);
  TaskCounts counts;
  for (const PlanOp& step : made.ops) {
    const std::string_view op = made.graph.node(step.node).op->name;
    int most = 0;
    for (int phase = 0; phase < step.kernel->phases(); ++phase)
      most = std::max(most, step.kernel->tasks(phase));
    if (op == "convolution") counts.forward = most;
    if (op == "convolution_grad_input") counts.grad_input = most;
    if (op == "convolution_grad_weights") counts.grad_weights = most;
  }
  return counts;
}

TEST(ConvolutionOp, HasTasksForSixteenThreadsAtBatch32) {
  const auto pad = ops::Padding::all(1);
  const std::vector<Geometry> layers{
      {{32, 3, 32, 32}, {16, 3, 3, 3}, 1, pad},     {{32, 16, 32, 32}, {16, 16, 3, 3}, 1, pad},
      {{32, 16, 32, 32}, {32, 16, 3, 3}, 2, pad},   {{32, 32, 16, 16}, {32, 32, 3, 3}, 1, pad},
      {{32, 32, 16, 16}, {64, 32, 3, 3}, 2, pad},   {{32, 64, 8, 8}, {64, 64, 3, 3}, 1, pad},
      {{32, 64, 8, 8}, {256, 64, 1, 1}, 1, {}},     {{32, 256, 8, 8}, {64, 256, 1, 1}, 1, {}},
      {{32, 128, 16, 16}, {256, 128, 1, 1}, 2, {}}, {{32, 128, 8, 8}, {128, 128, 3, 3}, 1, pad}};
  for (const Geometry& g : layers) {
    const TaskCounts counts = count_tasks(g);
    const std::string name = convolution_case(g).name;
    EXPECT_GE(counts.forward, 16) << name;
    EXPECT_GE(counts.grad_input, 16) << name;
    EXPECT_GE(counts.grad_weights, 16) << name;
  }
}

TEST(ConvolutionOp, TasksGrowWithTheBatch) {
  TaskCounts before;
  for (const int64_t n : {4, 8, 16, 32}) {
    // Winograd's filters have as many from the start.
    const TaskCounts now =
        count_tasks({{n, 16, 16, 16}, {16, 16, 3, 3}, 1, ops::Padding::all(1)}, Winograd::off);
    EXPECT_GT(now.forward, before.forward) << n;
    EXPECT_GT(now.grad_input, before.grad_input) << n;
    EXPECT_GT(now.grad_weights, before.grad_weights) << n;
    before = now;
  }
}

}  // namespace
}  // namespace convoy::test
