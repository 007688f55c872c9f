#include "ops/loss/softmax.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

OpCase softmax_case(const Shape& s, double scale) {
  return {.name = fmt::format("softmax {} of {}", to_string(s), scale),
          .inputs = {{.shape = s, .low = -scale, .high = scale}},
          .build = [](Builder& b, std::span<const Value> in) { return ops::softmax(b, in[0]); },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out;
                const auto classes = static_cast<size_t>(s[1]);
                for (size_t first = 0; first < in[0].size(); first += classes) {
                  double sum = 0, top = -1e300;
                  for (size_t k = 0; k < classes; ++k) top = std::max(top, in[0][first + k]);
                  for (size_t k = 0; k < classes; ++k) sum += std::exp(in[0][first + k] - top);
                  for (size_t k = 0; k < classes; ++k)
                    out.push_back(std::exp(in[0][first + k] - top) / sum);
                }
                return out;
              },
          .gradient = false,
          .train = false};
}

std::vector<OpCase> softmax_cases() {
  return {softmax_case({4, 10}, 3), softmax_case({2, 1}, 1), softmax_case({3, 1000}, 300)};
}

const RegisteredOps registered(ops_of<softmax_cases>);

TEST(SoftmaxOp, IsTheFormula) {
  for (const OpCase& c : softmax_cases()) check(c);
}

TEST(SoftmaxOp, NeedsRows) {
  Graph graph;
  Builder b(graph, false);
  EXPECT_THROW(ops::softmax(b, b.input("x", {{2, 3, 4, 4}})), Error);
}

}  // namespace
}  // namespace convoy::test
