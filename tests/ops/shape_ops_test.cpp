#include "ops/shape_ops.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

OpCase reshape_case(const Shape& from, Shape to) {
  return {.name = fmt::format("reshape {} to {}", to_string(from), to_string(to)),
          .inputs = {{.shape = from}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                Shape shape = to;
                shape[0] = b.shape(in[0])[0];
                return ops::reshape(b, in[0], shape);
              },
          .reference = [](std::span<const Doubles> in) { return in[0]; }};
}

OpCase concat_case(int64_t n, const std::vector<int64_t>& channels, int64_t h, int64_t w) {
  OpCase c{.name = fmt::format("concat {} at {}x{}:", n, h, w),
           .inputs = {},
           .build =
               [](Builder& b, std::span<const Value> in) {
                 return ops::concat(b, {in.begin(), in.end()});
               },
           .reference =
               [=](std::span<const Doubles> in) {
                 Doubles out;
                 for (int64_t image = 0; image < n; ++image) {
                   for (size_t i = 0; i < in.size(); ++i) {
                     const int64_t each = channels[i] * h * w;
                     const auto begin = in[i].begin() + image * each;
                     out.insert(out.end(), begin, begin + each);
                   }
                 }
                 return out;
               }};
  for (const int64_t count : channels) {
    c.name += fmt::format(" {}", count);
    c.inputs.push_back({.shape = {n, count, h, w}});
  }
  return c;
}

std::vector<OpCase> shape_cases() {
  return {reshape_case({4, 3, 2, 5}, {4, 30}),
          reshape_case({2, 16, 3, 3}, {2, 144}),
          reshape_case({4, 24}, {4, 6, 2, 2}),
          reshape_case({2, 16, 4, 4}, {2, 4, 16, 4}),
          concat_case(4, {3, 5}, 2, 3),
          concat_case(2, {16, 32, 16}, 3, 3),
          concat_case(2, {16, 5, 16}, 3, 3),
          concat_case(4, {8, 8}, 2, 2),
          concat_case(1, {7}, 2, 2)};
}

const RegisteredOps registered(ops_of<shape_cases>);

TEST(ShapeOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : shape_cases()) check(c);
}

TEST(ShapeOp, RefusesWhatDoesNotFit) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 6, 2, 2}});
  EXPECT_THROW(ops::reshape(b, x, {2, 23}), Error);
  EXPECT_THROW(ops::reshape(b, x, {4, 12}), Error);
  EXPECT_THROW(ops::concat(b, {x, b.input("y", {{2, 6, 2, 3}})}), Error);
  EXPECT_THROW(ops::concat(b, {x, b.input("y", {{2, 6}})}), Error);
  EXPECT_THROW(ops::concat(b, {x, b.input("y", {{2, 6, 2, 2}, DType::bf16})}), Error);
}

}  // namespace
}  // namespace convoy::test
