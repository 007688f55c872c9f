#include "ops/loss/label_weight.h"

#include <gtest/gtest.h>

#include "ops/cases.h"

namespace convoy::test {
namespace {

std::vector<OpCase> label_weight_cases() {
  const auto weights =
      std::make_shared<const std::vector<float>>(std::vector<float>{0.5f, 2, 0, 1.25f});
  std::vector<OpCase> cases;
  for (const int64_t n : {1, 4, 32}) {
    cases.push_back(
        {.name = "weigh by label " + std::to_string(n),
         .inputs = {{.shape = {n}}, {.shape = {n}, .low = 0, .high = 4, .dtype = DType::s32}},
         .build =
             [=](Builder& b, std::span<const Value> in) {
               return ops::weigh_by_label(b, in[0], in[1], weights);
             },
         .reference =
             [=](std::span<const Doubles> in) {
               Doubles y = in[0];
               for (size_t i = 0; i < y.size(); ++i)
                 y[i] *= static_cast<double>((*weights)[static_cast<size_t>(in[1][i])]);
               return y;
             }});
  }
  return cases;
}

const RegisteredOps registered(ops_of<label_weight_cases>);

TEST(LabelWeightOp, AgreesWithPlainLoops) {
  for (const OpCase& c : label_weight_cases()) check(c);
}

}  // namespace
}  // namespace convoy::test
