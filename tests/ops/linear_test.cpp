#include "ops/linear.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "ops/cases.h"
#include "support/session.h"

namespace convoy::test {
namespace {

OpCase linear_case(int64_t rows, int64_t in_features, int64_t out_features) {
  return {.name = fmt::format("linear {}: {} -> {}", rows, in_features, out_features),
          .inputs = {{.shape = {rows, in_features}},
                     {.shape = {out_features, in_features}, .shared = true},
                     {.shape = {out_features}, .shared = true}},
          .build = [](Builder& b,
                      std::span<const Value> in) { return ops::linear(b, in[0], in[1], in[2]); },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out;
                for (int64_t n = 0; n < rows; ++n) {
                  for (int64_t o = 0; o < out_features; ++o) {
                    double sum = in[2][static_cast<size_t>(o)];
                    for (int64_t i = 0; i < in_features; ++i) {
                      sum += in[0][static_cast<size_t>(n * in_features + i)] *
                             in[1][static_cast<size_t>(o * in_features + i)];
                    }
                    out.push_back(sum);
                  }
                }
                return out;
              },
          .tolerance = 1e-5};
}

std::vector<OpCase> linear_cases() {
  return {linear_case(1, 1, 1),    linear_case(4, 64, 10), linear_case(8, 17, 33),
          linear_case(32, 64, 10), linear_case(40, 5, 3),  linear_case(67, 9, 100)};
}

const RegisteredOps registered(ops_of<linear_cases>);

TEST(LinearOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : linear_cases()) check(c);
}

// Evaluation gives the same digits whatever its batch.
TEST(LinearOp, ARowGetsTheSameBitsBesideAnyNumberOfOthers) {
  constexpr int64_t all = 70, in = 67, out = 11;
  const auto noise = [](size_t count, uint64_t key) {
    Random random(key);
    std::vector<float> made(count);
    for (float& x : made) x = static_cast<float>(random.normal());
    return made;
  };
  const std::vector<float> x = noise(all * in, 1), w = noise(out * in, 2), bias = noise(out, 3);
  const auto first_rows = [&](int64_t rows) {
    Graph graph;
    Builder b(graph, false);
    b.output("y", ops::linear(b, b.input("x", {{rows, in}}), b.input("w", {{out, in}}),
                              b.input("bias", {{out}})));
    Session session(plan(std::move(graph)));
    session.bind("x", x.data());
    session.bind("w", w.data());
    session.bind("bias", bias.data());
    session.run();
    return session.output("y");
  };
  const std::vector<float> expected = first_rows(all);
  for (const int64_t rows : {1, 2, 3, 4, 5, 7, 33, 64}) {
    const std::vector<float> part = first_rows(rows);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), expected.begin())) << rows;
  }
}

TEST(LinearOp, RefusesShapesThatDoNotFit) {
  Graph graph;
  Builder b(graph);
  const auto input = [&](Shape shape) { return b.input("x", {shape}); };
  const Value x = input({4, 8}), w = input({10, 8}), bias = input({10});
  EXPECT_THROW(ops::linear(b, input({4, 9}), w, bias), Error);
  EXPECT_THROW(ops::linear(b, input({4, 8, 1, 1}), w, bias), Error);
  EXPECT_THROW(ops::linear(b, x, w, input({8})), Error);
  const Value half = b.input("w", {{10, 8}, DType::f16});  // rows alone
  EXPECT_THROW(ops::linear(b, x, half, bias), Error);
}

}  // namespace
}  // namespace convoy::test
