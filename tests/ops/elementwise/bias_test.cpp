#include "ops/elementwise/bias.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

std::vector<OpCase> bias_cases() {
  std::vector<OpCase> cases;
  for (const Shape& s : {Shape{4, 5, 3, 7}, Shape{2, 16, 8, 8}, Shape{8, 17, 1, 1}}) {
    cases.push_back(
        {.name = "add_bias " + to_string(s),
         .inputs = {{.shape = s}, {.shape = {s[1]}, .shared = true}},
         .build = [](Builder& b,
                     std::span<const Value> in) { return ops::add_bias(b, in[0], in[1]); },
         .reference =
             [=](std::span<const Doubles> in) {
               Doubles out = in[0];
               const auto pixels = static_cast<size_t>(s[2] * s[3]);
               for (size_t i = 0; i < out.size(); ++i) {
                 out[i] += in[1][i / pixels % static_cast<size_t>(s[1])];
               }
               return out;
             }});
  }
  return cases;
}

const RegisteredOps registered(ops_of<bias_cases>);

TEST(BiasOp, AgreesWithTheFormulaAndItsSlope) {
  for (const OpCase& c : bias_cases()) check(c);
}

TEST(BiasOp, RefusesAnotherNumberOfChannels) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 8, 3, 3}});
  EXPECT_THROW(ops::add_bias(b, x, b.input("bias", {{7}})), Error);
}

}  // namespace
}  // namespace convoy::test
