#include "ops/mixing.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/cases.h"
#include "support/raises.h"
#include "support/session.h"

namespace convoy::test {
namespace {

double plain_loss(std::span<const double> logits, std::span<const double> target) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0, loss = 0;
  for (const double v : logits) sum += std::exp(v - top);
  for (size_t k = 0; k < logits.size(); ++k) {
    loss -= target[k] * (logits[k] - top - std::log(sum));
  }
  return loss;
}

// Sources are the first two of a replica: a quarter of 8 rows has them. Weights that add
// up to anything: whatever they are, the loss is a sum over them.
OpCase loss_case(int64_t rows, int64_t classes, float smoothing, ops::Smoothing kind) {
  return {.name = fmt::format("mixed cross entropy {}x{} smoothing {} {}", rows, classes, smoothing,
                              kind == ops::Smoothing::uniform ? "uniform" : "others"),
          .inputs = {{.shape = {rows, classes}, .low = -3, .high = 3},
                     {.shape = {rows},
                      .low = 0,
                      .high = static_cast<double>(classes),
                      .dtype = DType::s32},
                     {.shape = {rows, 4}, .low = 0, .high = 2, .dtype = DType::s32},
                     {.shape = {rows, 4}, .low = 0, .high = 0.5, .fixed = true}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                return ops::mixed_cross_entropy(b, in[0], in[1], in[2], in[3],
                                                {.smoothing = smoothing, .kind = kind});
              },
          .reference =
              [=](std::span<const Doubles> in) {
                const auto k = static_cast<size_t>(classes);
                const auto s = static_cast<double>(smoothing);
                Doubles out;
                for (size_t n = 0; n < in[1].size(); ++n) {
                  Doubles target(k, 0);
                  for (size_t j = 0; j < 4; ++j) {
                    const auto label =
                        static_cast<size_t>(in[1][static_cast<size_t>(in[2][n * 4 + j])]);
                    for (size_t c = 0; c < k; ++c) {
                      const double others = kind == ops::Smoothing::uniform
                                                ? s / static_cast<double>(classes)
                                                : s / static_cast<double>(classes - 1);
                      const double own = kind == ops::Smoothing::uniform ? 1 - s + others : 1 - s;
                      target[c] += in[3][n * 4 + j] * (c == label ? own : others);
                    }
                  }
                  out.push_back(plain_loss(std::span(in[0]).subspan(n * k, k), target));
                }
                return out;
              }};
}

// Half of the boxes have their sides in the wrong order: these are none.
OpCase images_case(const Shape& shape) {
  return {.name = "mix_images " + to_string(shape),
          .inputs = {{.shape = shape, .fixed = true},
                     {.shape = {shape[0], 4}, .low = 0, .high = 2, .dtype = DType::s32},
                     {.shape = {shape[0], 4},
                      .low = 0,
                      .high = static_cast<double>(std::min(shape[2], shape[3]) + 1),
                      .dtype = DType::s32},
                     {.shape = {shape[0], 4}, .low = 0, .high = 1, .fixed = true}},
          .build =
              [](Builder& b, std::span<const Value> in) {
                return ops::mix_images(b, in[0], in[1], in[2], in[3]);
              },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out(in[0].size());
                for (int64_t n = 0; n < shape[0]; ++n) {
                  const auto row = static_cast<size_t>(n * 4);
                  const auto value = [&](size_t input, size_t j) { return in[input][row + j]; };
                  for (int64_t c = 0; c < shape[1]; ++c) {
                    for (int64_t y = 0; y < shape[2]; ++y) {
                      for (int64_t x = 0; x < shape[3]; ++x) {
                        const auto px = static_cast<double>(x), py = static_cast<double>(y);
                        const bool inside = px >= value(2, 0) && px < value(2, 2) &&
                                            py >= value(2, 1) && py < value(2, 3);
                        const size_t first = inside ? 2 : 0;
                        double sum = 0;
                        for (const size_t j : {first, first + 1}) {
                          const auto from = static_cast<int64_t>(value(1, j));
                          sum += value(3, j) * in[0][at(shape, from, c, y, x)];
                        }
                        out[at(shape, n, c, y, x)] = sum;
                      }
                    }
                  }
                }
                return out;
              },
          .gradient = false};
}

std::vector<OpCase> mixing_cases() {
  using ops::Smoothing;
  return {loss_case(8, 10, 0, Smoothing::uniform),
          loss_case(20, 10, 0.1f, Smoothing::uniform),
          loss_case(8, 10, 0.1f, Smoothing::others),
          loss_case(8, 2, 0.3f, Smoothing::others),
          loss_case(8, 100, 0.1f, Smoothing::uniform),
          images_case({8, 3, 5, 7}),
          images_case({8, 1, 32, 32}),
          images_case({8, 3, 40, 33})};
}

const RegisteredOps registered(ops_of<mixing_cases>);

TEST(MixingOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : mixing_cases()) check(c);
}

// One image of three, and a NaN in the others.
TEST(MixingOp, WhatIsNotMixedKeepsItsBitsAndReadsNothingElse) {
  const Shape shape{3, 1, 4, 4};
  Graph graph;
  Builder b(graph);
  const Value image = b.input("image", {shape});
  const Value source = b.input("source", {{3, 4}, DType::s32});
  const Value box = b.input("box", {{3, 4}, DType::s32});
  b.output("y", ops::mix_images(b, image, source, box, b.input("share", {{3, 4}})));
  Session session(plan(std::move(graph)));
  std::vector<float> images(48, NAN);
  for (size_t i = 0; i < 16; ++i) images[i] = 0.1f * static_cast<float>(i);
  const std::vector<int32_t> sources{0, 1, 1, 2, 1, 0, 0, 1, 0, 0, 1, 0};
  // No box; all of the image; none, but with its sides swapped.
  const std::vector<int32_t> boxes{2, 1, 2, 3, 0, 0, 4, 4, 3, 3, 1, 1};
  const std::vector<float> shares{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  session.bind("image", images.data());
  session.bind("source", sources.data());
  session.bind("box", boxes.data());
  session.bind("share", shares.data());
  session.run();
  const std::vector<float> out = session.output("y");
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], images[i % 16]) << i;
}

TEST(MixingOp, RefusesRowsThatDoNotFit) {
  Graph graph;
  Builder b(graph);
  const Value image = b.input("image", {{2, 3, 4, 4}}), logits = b.input("logits", {{2, 5}});
  const Value label = b.input("label", {{2}, DType::s32});
  const Value whole = b.input("whole", {{2, 4}, DType::s32}), floats = b.input("f", {{2, 4}});
  const Value few = b.input("few", {{1, 4}, DType::s32});
  expect_raises(Fault::usage, {"mix_images", "1x4"},
                [&] { ops::mix_images(b, image, few, whole, floats); });
  expect_raises(Fault::usage, {"mix_images", "s32"},
                [&] { ops::mix_images(b, image, whole, whole, whole); });
  expect_raises(Fault::usage, {"[n, c, h, w]"},
                [&] { ops::mix_images(b, logits, whole, whole, floats); });
  expect_raises(Fault::usage, {"mixed_cross_entropy"},
                [&] { ops::mixed_cross_entropy(b, logits, label, few, floats); });
  expect_raises(Fault::usage, {"labels", "do not fit"},
                [&] { ops::mixed_cross_entropy(b, logits, floats, whole, floats); });
}

TEST(MixingOp, RefusesALabelOfNoClass) {
  Graph graph;
  Builder b(graph);
  const Value logits = b.input("logits", {{2, 5}}), label = b.input("label", {{2}, DType::s32});
  const Value source = b.input("source", {{2, 4}, DType::s32}), weight = b.input("w", {{2, 4}});
  b.output("y", ops::mixed_cross_entropy(b, logits, label, source, weight));
  Session session(plan(std::move(graph)));
  const std::vector<float> zeros(10, 0);
  const std::vector<int32_t> labels{0, 5}, sources{0, 0, 0, 0, 0, 1, 0, 0};
  session.bind("logits", zeros.data());
  session.bind("label", labels.data());
  session.bind("source", sources.data());
  session.bind("w", zeros.data());
  expect_raises(Fault::data, {"label 5", "5 classes"}, [&] { session.run(1); });
}

}  // namespace
}  // namespace convoy::test
