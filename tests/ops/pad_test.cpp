#include "ops/pad.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

std::vector<OpCase> pad_cases() {
  std::vector<OpCase> cases;
  for (const ops::Padding& p : {ops::Padding{1, 1, 1, 1}, {0, 2, 3, 1}, {0, 0, 0, 0}}) {
    const Shape x{2, 5, 3, 4};
    const Shape y{2, 5, 3 + p.top + p.bottom, 4 + p.left + p.right};
    cases.push_back(
        {.name = "pad to " + to_string(y),
         .inputs = {{.shape = x}},
         .build = [=](Builder& b, std::span<const Value> in) { return ops::pad(b, in[0], p); },
         .reference =
             [=](std::span<const Doubles> in) {
               Doubles out(static_cast<size_t>(y.count()), 0.0);
               for (int64_t i = 0; i < x.count(); ++i) {
                 const int64_t w = i % x[3], h = i / x[3] % x[2];
                 const int64_t plane = i / x[3] / x[2];
                 out[at(y, plane / x[1], plane % x[1], h + p.top, w + p.left)] =
                     in[0][static_cast<size_t>(i)];
               }
               return out;
             }});
  }
  return cases;
}

const RegisteredOps registered(ops_of<pad_cases>);

TEST(PadOp, AgreesWithTheFormulaAndItsSlope) {
  for (const OpCase& c : pad_cases()) check(c);
}

TEST(PadOp, RefusesToCut) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 8, 3, 3}});
  EXPECT_THROW(ops::pad(b, x, {-1, 0, 0, 0}), Error);
}

}  // namespace
}  // namespace convoy::test
