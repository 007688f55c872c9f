// Convolutions with what is folded into them, in plans for inference.

#include "ops/conv/folded/folded_conv.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/cases.h"
#include "ops/conv/plain_convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/bias.h"
#include "ops/norm/batch_norm.h"
#include "support/session.h"

namespace convoy::test {
namespace {

constexpr double epsilon = 1e-3;

// What follows a convolution.
struct Tail {
  bool bias = false, norm = false;
  enum class Added { no, input, computed } added = Added::no;
  onednn::ConvTail::Act act = onednn::ConvTail::Act::none;
};
using Act = onednn::ConvTail::Act;
using Added = Tail::Added;

double activated(double v, Act act) {
  if (act == Act::relu) return std::max(v, 0.0);
  return act == Act::swish ? v / (1 + std::exp(-v)) : v;
}

// Inputs: x, w, bias, gamma, beta, mean, variance, the image that is added.
Value build(Builder& b, const Geometry& g, const Tail& tail, std::span<const Value> in) {
  Value y = ops::convolution(b, in[0], in[1],
                             {.stride = g.stride, .padding = g.padding, .groups = g.groups});
  if (tail.bias) y = ops::add_bias(b, y, in[2]);
  if (tail.norm)
    y = ops::batch_norm(b, y, {in[3], in[4], in[5], in[6]}, {.epsilon = float{epsilon}});
  // A value that is computed and not read again is where the result goes.
  if (tail.added != Added::no)
    y = ops::add(b, y, tail.added == Added::computed ? ops::sigmoid(b, in[7]) : in[7]);
  if (tail.act == Act::relu) y = ops::relu(b, y);
  return tail.act == Act::swish ? ops::swish(b, y) : y;
}

Doubles reference(const Geometry& g, const Tail& tail, std::span<const Doubles> in) {
  const ops::Padding padding =
      ops::resolve_padding(g.padding, g.x[2], g.x[3], g.w[2], g.w[3], g.stride);
  Doubles y = plain_convolution(g.x, g.w, g.stride, padding, g.groups, in[0], in[1]);
  const auto channels = static_cast<size_t>(g.w[0]);
  const size_t pixels = y.size() / static_cast<size_t>(g.x[0]) / channels;
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t c = i / pixels % channels;
    if (tail.bias) y[i] += in[2][c];
    if (tail.norm) y[i] = (y[i] - in[5][c]) / std::sqrt(in[6][c] + epsilon) * in[3][c] + in[4][c];
    if (tail.added == Added::computed) y[i] += 1 / (1 + std::exp(-in[7][i]));
    if (tail.added == Added::input) y[i] += in[7][i];
    y[i] = activated(y[i], tail.act);
  }
  return y;
}

std::string text(const Tail& t) {
  constexpr const char* added[] = {"", " add", " add computed"};
  constexpr const char* acts[] = {"", " relu", " swish"};
  return fmt::format("{}{}{}{}", t.bias ? " bias" : "", t.norm ? " norm" : "",
                     added[static_cast<size_t>(t.added)], acts[static_cast<size_t>(t.act)]);
}

OpCase folded_case(const Geometry& g, const Tail& tail) {
  const ops::Padding p = ops::resolve_padding(g.padding, g.x[2], g.x[3], g.w[2], g.w[3], g.stride);
  const Shape channels{g.w[0]};
  const Shape y{g.x[0], g.w[0], (g.x[2] + p.top + p.bottom - g.w[2]) / g.stride + 1,
                (g.x[3] + p.left + p.right - g.w[3]) / g.stride + 1};
  std::vector<InputSpec> inputs{{.shape = g.x},
                                {.shape = g.w, .shared = true},
                                {.shape = channels, .shared = true},
                                {.shape = channels, .low = 0.7, .high = 1.3, .shared = true},
                                {.shape = channels, .shared = true},
                                {.shape = channels, .shared = true},
                                {.shape = channels, .low = 0.5, .high = 1.5, .shared = true},
                                {.shape = y}};
  const bool squared = g.w[2] == 3 && g.w[3] == 3 && g.stride == 1 && g.groups == 1;
  return {.name = fmt::format("{} with {} stride {} groups {}:{}", to_string(g.x), to_string(g.w),
                              g.stride, g.groups, text(tail)),
          .inputs = std::move(inputs),
          .build = [=](Builder& b, std::span<const Value> in) { return build(b, g, tail, in); },
          .reference = [=](std::span<const Doubles> in) { return reference(g, tail, in); },
          .gradient = false,
          .train = false,
          .inference = true,
          .tolerance = squared ? 1e-4 : 2e-5,
          // Of scaled weights, in sums that a channel may scale up; and small groups store a row
          // before its tail.
          .bf16_roundings_inside = 2 * int{tail.norm} + int{g.groups > 1}};
}

std::vector<Tail> tails(bool adds) {
  std::vector<Tail> all{{.bias = true},
                        {.norm = true},
                        {.bias = true, .act = Act::relu},
                        {.norm = true, .act = Act::relu},
                        {.norm = true, .act = Act::swish},
                        {.bias = true, .norm = true, .act = Act::relu}};
  if (!adds) return all;
  for (const Added added : {Added::input, Added::computed}) {
    all.push_back({.norm = true, .added = added});
    all.push_back({.norm = true, .added = added, .act = Act::relu});
    all.push_back({.bias = true, .added = added, .act = Act::relu});
  }
  return all;
}

const std::vector<Geometry>& geometries() {
  const auto pad = ops::Padding::all(1);
  static const std::vector<Geometry> all{
      {{2, 16, 5, 5}, {24, 16, 1, 1}, 1, {}},   // direct
      {{1, 24, 6, 5}, {192, 24, 1, 1}, 2, {}},  // in parts
      {{2, 3, 9, 9}, {17, 3, 7, 7}, 2, ops::Padding::all(3)},
      {{2, 32, 7, 6}, {40, 32, 3, 3}, 1, pad},  // Winograd
      {{2, 17, 6, 6}, {5, 17, 3, 3}, 1, pad},   // padded channels
      {{4, 16, 6, 7}, {64, 16, 3, 3}, 2, pad},
      {{2, 16, 6, 6}, {16, 4, 3, 3}, 1, pad, 4},   // small groups
      {{1, 64, 5, 5}, {64, 32, 3, 3}, 1, pad, 2},  // whole blocks, in parts
      {{2, 64, 6, 6}, {64, 1, 3, 3}, 2, pad, 64},  // depthwise, in parts
      {{2, 24, 6, 6}, {24, 1, 5, 5}, 1, ops::Padding::all(2), 24},
      {{2, 6, 5, 5}, {9, 2, 3, 3}, 1, pad, 3}};  // plain images
  return all;
}

std::vector<OpCase> folded_cases() {
  std::vector<OpCase> all;
  for (const Geometry& g : geometries()) {
    for (const Tail& tail : tails(g.groups == 1)) all.push_back(folded_case(g, tail));
  }
  // Large transformed weights.
  all.push_back(folded_case({{2, 512, 4, 4}, {272, 512, 3, 3}, 1, ops::Padding::all(1)},
                            {.norm = true, .added = Added::computed, .act = Act::relu}));
  return all;
}

const RegisteredOps registered(ops_of<folded_cases>);

TEST(FoldedConvolutionOp, AgreesWithPlainLoops) {
  for (const OpCase& c : folded_cases()) check(c);
}

// The plan of a case; all of its parameters are inputs.
Plan plan_of(const OpCase& c) {
  Graph graph;
  Builder b(graph, false);
  Values in;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    in.push_back(b.input(fmt::format("in{}", i), {c.inputs[i].shape}));
  b.output("out", c.build(b, in));
  return inference_plan(std::move(graph));
}

TEST(FoldedConvolutionOp, NothingIsLeftBehindTheConvolution) {
  for (const OpCase& c : folded_cases()) {
    const Plan made = plan_of(c);
    for (const char* op : {"convolution", "batch_norm_eval", "add_bias", "add", "relu", "swish"})
      EXPECT_EQ(count_ops(made.graph, op), 0) << c.name << ": " << op;
  }
}

TEST(FoldedConvolutionOp, ResultsThatOthersReadAreNotFolded) {
  const Tail tail{.norm = true, .act = Act::relu};
  Graph graph;
  Builder b(graph, false);
  const OpCase c = folded_case(geometries()[0], tail);
  Values in;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    in.push_back(b.input(fmt::format("in{}", i), {c.inputs[i].shape}));
  const Value y = ops::convolution(b, in[0], in[1], {});
  b.output("sums", y);
  b.output("out", ops::batch_norm(b, y, {in[3], in[4], in[5], in[6]}));
  const Plan made = inference_plan(std::move(graph));
  EXPECT_EQ(count_ops(made.graph, "convolution"), 1);
  EXPECT_EQ(count_ops(made.graph, "batch_norm_eval"), 1);
}

TEST(FoldedConvolutionOp, AGroupedConvolutionAddsNoImage) {
  const Plan made = plan_of(folded_case({{2, 16, 6, 6}, {16, 4, 3, 3}, 1, ops::Padding::all(1), 4},
                                        {.norm = true, .added = Added::input, .act = Act::relu}));
  EXPECT_EQ(count_ops(made.graph, "convolution"), 1);
  EXPECT_EQ(count_ops(made.graph, "batch_norm_eval"), 1);
}

// Broken weights must not give results that look sound.
TEST(FoldedConvolutionOp, NaNsStay) {
  for (const Geometry& g : geometries()) {
    for (const Tail& tail : tails(g.groups == 1)) {
      const OpCase c = folded_case(g, tail);
      Session session(plan_of(c));
      std::vector<std::vector<float>> values;
      for (const InputSpec& spec : c.inputs)
        values.emplace_back(static_cast<size_t>(spec.shape.count()), 0.5f);
      std::ranges::fill(values[1], std::nanf(""));
      for (size_t i = 0; i < values.size(); ++i)
        session.bind(fmt::format("in{}", i), values[i].data());
      session.run(2);
      const std::vector<float> out = session.output("out");
      EXPECT_TRUE(std::ranges::all_of(out, [](float v) { return std::isnan(v); })) << c.name;
    }
  }
}

// Small batches are divided into parts of the outputs: the same bits as in a large batch.
TEST(FoldedConvolutionOp, TheBatchChangesNoBit) {
  for (const DType storage : {DType::f32, DType::bf16, DType::f16}) {
    for (const Geometry& one : geometries()) {
      std::vector<float> first;
      for (const int64_t images : {1, 3, 17}) {
        Geometry g = one;
        g.x[0] = images;
        const OpCase c = folded_case(g, {.bias = true, .norm = true, .act = Act::relu});
        Graph graph;
        Builder b(graph, false);
        Values in;
        std::vector<std::vector<float>> values;
        for (size_t i = 0; i < c.inputs.size(); ++i) {
          in.push_back(b.input(fmt::format("in{}", i), {c.inputs[i].shape}));
          auto& numbers = values.emplace_back(static_cast<size_t>(c.inputs[i].shape.count()));
          for (size_t k = 0; k < numbers.size(); ++k)
            numbers[k] = i == 6 ? 1.0f : std::sin(static_cast<float>(k * (i + 3)));
        }
        b.output("out", c.build(b, in));
        StorageRules rules = is_narrow(storage) ? narrowed_ops(storage) : StorageRules{};
        Session session(inference_plan(std::move(graph), std::move(rules)));
        for (size_t i = 0; i < in.size(); ++i)
          session.bind(fmt::format("in{}", i), values[i].data());
        session.run(2);
        std::vector<float> out = session.output("out");
        if (first.empty()) first = out;
        out.resize(first.size());
        EXPECT_EQ(out, first) << c.name << " " << name(storage);
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
