#include "ops/norm/group_norm.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

constexpr float epsilon = 1e-5f;

Doubles plain_group_norm(const Shape& s, int64_t groups, const Doubles& x, const Doubles& gamma,
                         const Doubles& beta) {
  Doubles y(x.size());
  const int64_t width = s[1] / groups;
  const auto count = static_cast<double>(width * s[2] * s[3]);
  for (int64_t n = 0; n < s[0]; ++n) {
    for (int64_t g = 0; g < groups; ++g) {
      // A group of one image lies in one piece.
      const size_t begin = at(s, n, g * width, 0, 0), end = begin + static_cast<size_t>(count);
      double sum = 0, square = 0;
      for (size_t i = begin; i < end; ++i) sum += x[i];
      for (size_t i = begin; i < end; ++i) square += std::pow(x[i] - sum / count, 2);
      for (size_t i = begin; i < end; ++i) {
        const size_t c = i / static_cast<size_t>(s[2] * s[3]) % static_cast<size_t>(s[1]);
        y[i] = (x[i] - sum / count) / std::sqrt(square / count + epsilon) * gamma[c] + beta[c];
      }
    }
  }
  return y;
}

OpCase group_norm_case(const Shape& s, int64_t groups, double middle = 0) {
  return {.name = fmt::format("group norm {} in {} around {}", to_string(s), groups, middle),
          .inputs = {{.shape = s, .low = middle - 2, .high = middle + 2},
                     {.shape = {s[1]}, .low = 0.5, .high = 1.5, .shared = true},
                     {.shape = {s[1]}, .shared = true}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                return ops::group_norm(b, in[0], in[1], in[2],
                                       {.groups = groups, .epsilon = epsilon});
              },
          .reference =
              [=](std::span<const Doubles> in) {
                return plain_group_norm(s, groups, in[0], in[1], in[2]);
              },
          .tolerance = middle == 0 ? 1e-5 : 1e-3,
          .grad_tolerance = middle == 0 ? 1e-4 : 1e-3};
}

std::vector<OpCase> group_norm_cases() {
  return {group_norm_case({4, 6, 4, 5}, 3),   group_norm_case({2, 32, 3, 3}, 32),
          group_norm_case({2, 32, 3, 3}, 1),  group_norm_case({4, 24, 5, 5}, 2),
          group_norm_case({1, 17, 2, 2}, 17), group_norm_case({8, 16, 6, 6}, 4, 300)};
}

const RegisteredOps registered(ops_of<group_norm_cases>);

TEST(GroupNormOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : group_norm_cases()) check(c);
}

TEST(GroupNormOp, RefusesGroupsThatDoNotDivideTheChannels) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 6, 3, 3}});
  const Value gamma = b.input("gamma", {{6}}), beta = b.input("beta", {{6}});
  EXPECT_THROW(ops::group_norm(b, x, gamma, beta, {.groups = 4}), Error);
  EXPECT_THROW(ops::group_norm(b, x, gamma, beta, {.groups = 0}), Error);
  EXPECT_THROW(ops::group_norm(b, x, b.input("short", {{5}}), beta, {.groups = 3}), Error);
  EXPECT_THROW(ops::group_norm(b, x, gamma, b.input("short", {{5}}), {.groups = 3}), Error);
}

}  // namespace
}  // namespace convoy::test
