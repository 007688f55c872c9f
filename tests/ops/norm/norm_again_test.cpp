// A norm from saved statistics against plain loops; that it repeats the bits of batch and group
// norm is tested with whole graphs, in tests/compile/passes/recompute_test.cpp.

#include "ops/norm/norm_again.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ops/cases.h"
#include "ops/norm/norm_planes.h"

namespace convoy::test {
namespace {

using kernels::NormAct;

// Statistics of each image, or of the whole batch.
OpCase norm_again_case(const Shape& s, bool each_image, bool residual, NormAct act) {
  const int64_t vector = ops::channel_vector(s[1]);
  OpCase made{.name = fmt::format("norm again {} {} {} {}", to_string(s), each_image, residual,
                                  static_cast<int>(act)),
              .inputs = {{.shape = s, .low = -2, .high = 2},
                         {.shape = {s[1]}, .low = 0.5, .high = 1.5, .shared = true},
                         {.shape = {s[1]}, .shared = true},
                         {.shape = {each_image ? s[0] : 1, 2, vector},
                          .low = 0.25,
                          .high = 1.5,
                          .shared = !each_image}},
              .build =
                  [=](Builder& b, std::span<const Value> in) {
                    return ops::norm_again(b, in[0], in[1], in[2], in[3],
                                           residual ? in[4] : Value{}, act);
                  },
              .reference =
                  [=](std::span<const Doubles> in) {
                    Doubles y(in[0].size());
                    const auto pixels = static_cast<size_t>(s[2] * s[3]);
                    for (size_t i = 0; i < y.size(); ++i) {
                      const size_t c = i / pixels % static_cast<size_t>(s[1]);
                      const size_t image = i / pixels / static_cast<size_t>(s[1]);
                      const auto row = static_cast<size_t>(2 * vector) * (each_image ? image : 0);
                      const double mean = in[3][row + c];
                      const double inverse = in[3][row + static_cast<size_t>(vector) + c];
                      double z = (in[0][i] - mean) * inverse * in[1][c] + in[2][c];
                      if (residual) z += in[4][i];
                      if (act == NormAct::relu) z = std::max(z, 0.0);
                      if (act == NormAct::swish) z = z / (1 + std::exp(-z));
                      y[i] = z;
                    }
                    return y;
                  },
              .gradient = false,
              .tolerance = 1e-5};
  if (residual) made.inputs.push_back({.shape = s, .low = -2, .high = 2});
  return made;
}

std::vector<OpCase> norm_again_cases() {
  return {norm_again_case({4, 6, 4, 5}, true, false, NormAct::none),
          norm_again_case({4, 32, 3, 3}, false, false, NormAct::relu),
          norm_again_case({2, 17, 5, 5}, true, true, NormAct::relu),
          norm_again_case({4, 16, 6, 6}, false, true, NormAct::none),
          norm_again_case({1, 40, 7, 7}, false, false, NormAct::swish)};
}

const RegisteredOps registered(ops_of<norm_again_cases>);

TEST(NormAgainOp, IsTheNormOfItsStatistics) {
  for (const OpCase& c : norm_again_cases()) check(c);
}

}  // namespace
}  // namespace convoy::test
