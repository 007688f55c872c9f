#include "ops/elementwise/dropout.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "ops/cases.h"
#include "support/session.h"

namespace convoy::test {
namespace {

OpCase dropout_case(const Shape& s, float rate, uint64_t site) {
  return {
      .name = fmt::format("dropout {} rate {} site {}", to_string(s), rate, site),
      .inputs = {{.shape = s}, {.shape = {s[0]}, .low = 0, .high = 1e9, .dtype = DType::s64}},
      .build = [=](Builder& b,
                   std::span<const Value> in) { return ops::dropout(b, in[0], in[1], rate, site); },
      .reference =
          [=](std::span<const Doubles> in) {
            Doubles out;
            const size_t each = in[0].size() / in[1].size();
            for (size_t n = 0; n < in[1].size(); ++n) {
              Random random(random_key(static_cast<uint64_t>(in[1][n]), Purpose::dropout, site));
              for (size_t i = 0; i < each; ++i) {
                const bool drop = random.uniform() < static_cast<double>(rate);
                out.push_back(drop ? 0 : in[0][n * each + i] / (1 - rate));
              }
            }
            return out;
          }};
}

OpCase drop_path_case(const Shape& s, float rate) {
  return {
      .name = fmt::format("drop_path {} rate {}", to_string(s), rate),
      .inputs = {{.shape = s}, {.shape = {s[0]}, .low = 0, .high = 1e9, .dtype = DType::s64}},
      .build = [=](Builder& b,
                   std::span<const Value> in) { return ops::drop_path(b, in[0], in[1], rate, 3); },
      .reference =
          [=](std::span<const Doubles> in) {
            Doubles out;
            const size_t each = in[0].size() / in[1].size();
            for (size_t i = 0; i < in[0].size(); ++i) {
              const auto key = static_cast<uint64_t>(in[1][i / each]);
              Random random(random_key(key, Purpose::dropout, 3));
              const bool drop = random.uniform() < static_cast<double>(rate);
              out.push_back(drop ? 0 : in[0][i] / (1 - rate));
            }
            return out;
          }};
}

// Dropout of ones: the mask.
std::vector<float> mask(const std::vector<int64_t>& keys, int64_t each, float rate, uint64_t site) {
  const auto samples = static_cast<int64_t>(keys.size());
  const std::vector<float> ones(static_cast<size_t>(samples * each), 1.0f);
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{samples, each}}), key = b.input("key", {{samples}, DType::s64});
  b.output("y", ops::dropout(b, x, key, rate, site));
  Session session(plan(std::move(graph)));
  session.bind("x", ones.data());
  session.bind("key", keys.data());
  session.run();
  return session.output("y");
}

std::vector<OpCase> dropout_cases() {
  return {dropout_case({4, 50}, 0.5f, 1), dropout_case({2, 5, 3, 3}, 0.2f, 7),
          dropout_case({4, 16, 4, 4}, 0.9f, 2), drop_path_case({8, 5, 3, 3}, 0.5f),
          drop_path_case({4, 16, 40, 40}, 0.3f)};
}

const RegisteredOps registered(ops_of<dropout_cases>);

TEST(DropoutOp, AgreesWithPlainLoopsAndDropsTheSameInTheGradient) {
  for (const OpCase& c : dropout_cases()) check(c);
}

TEST(DropoutOp, DropsAtItsRateAndKeepsTheMean) {
  for (const float rate : {0.1f, 0.5f, 0.8f}) {
    const std::vector<float> y = mask({1, 2, 3, 4, 5, 6, 7, 8}, 5000, rate, 3);
    double dropped = 0, sum = 0;
    for (const float v : y) {
      EXPECT_TRUE(v == 0 || std::abs(v - 1 / (1 - rate)) < 1e-6f);
      dropped += v == 0;
      sum += v;
    }
    const auto count = static_cast<double>(y.size());
    EXPECT_NEAR(dropped / count, rate, 0.01);
    EXPECT_NEAR(sum / count, 1, 0.05);
  }
}

TEST(DropoutOp, DependsOnTheKeyOfTheSampleAndTheSiteAlone) {
  const std::vector<float> both = mask({11, 22}, 300, 0.5f, 1);
  const std::vector<float> turned = mask({22, 11}, 300, 0.5f, 1);
  EXPECT_TRUE(std::equal(both.begin(), both.begin() + 300, turned.begin() + 300));
  EXPECT_TRUE(std::equal(both.begin() + 300, both.end(), turned.begin()));
  EXPECT_FALSE(std::equal(both.begin(), both.begin() + 300, both.begin() + 300));
  EXPECT_NE(mask({11, 22}, 300, 0.5f, 2), both);
  EXPECT_EQ(mask({11, 22}, 300, 0.5f, 1), both);
}

TEST(DropoutOp, IsNotThereInEvaluationOrAtRateZero) {
  Graph graph;
  Builder train(graph), eval(graph, false);
  const Value x = train.input("x", {{4, 5}}), key = train.input("key", {{4}, DType::s64});
  EXPECT_EQ(ops::dropout(eval, x, key, 0.5f, 1), x);
  EXPECT_EQ(ops::dropout(train, x, key, 0, 1), x);
}

TEST(DropoutOp, RefusesWhatMakesNoSense) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{4, 5}}), key = b.input("key", {{4}, DType::s64});
  EXPECT_THROW(ops::dropout(b, x, key, 1, 1), Error);
  EXPECT_THROW(ops::dropout(b, x, key, -0.1f, 1), Error);
  EXPECT_THROW(ops::dropout(b, x, key, std::nanf(""), 1), Error);
  EXPECT_THROW(ops::dropout(b, x, b.input("short", {{3}, DType::s64}), 0.5f, 1), Error);
  EXPECT_THROW(ops::dropout(b, x, b.input("floats", {{4}}), 0.5f, 1), Error);
}

}  // namespace
}  // namespace convoy::test
