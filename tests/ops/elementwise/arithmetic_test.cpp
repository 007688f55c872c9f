#include "ops/elementwise/arithmetic.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

OpCase add_case(const Shape& shape) {
  return {.name = "add " + to_string(shape),
          .inputs = {{.shape = shape}, {.shape = shape}},
          .build = [](Builder& b, std::span<const Value> in) { return ops::add(b, in[0], in[1]); },
          .reference =
              [](std::span<const Doubles> in) {
                Doubles out;
                for (size_t i = 0; i < in[0].size(); ++i) out.push_back(in[0][i] + in[1][i]);
                return out;
              }};
}

OpCase multiply_case(const Shape& shape) {
  return {
      .name = "multiply " + to_string(shape),
      .inputs = {{.shape = shape}, {.shape = shape}},
      .build = [](Builder& b, std::span<const Value> in) { return ops::multiply(b, in[0], in[1]); },
      .reference =
          [](std::span<const Doubles> in) {
            Doubles out;
            for (size_t i = 0; i < in[0].size(); ++i) out.push_back(in[0][i] * in[1][i]);
            return out;
          }};
}

OpCase gate_case(const Shape& s) {
  return {
      .name = "gate " + to_string(s),
      .inputs = {{.shape = s}, {.shape = {s[0], s[1], 1, 1}, .low = 0}},
      .build = [](Builder& b, std::span<const Value> in) { return ops::multiply(b, in[0], in[1]); },
      .reference =
          [=](std::span<const Doubles> in) {
            const auto pixels = static_cast<size_t>(s[2] * s[3]);
            Doubles out;
            for (size_t i = 0; i < in[0].size(); ++i) out.push_back(in[0][i] * in[1][i / pixels]);
            return out;
          }};
}

// x + x and x * x: one value in both places, and gradients that meet.
OpCase twice_case(const Shape& shape) {
  return {.name = "x * x + x + x " + to_string(shape),
          .inputs = {{.shape = shape}},
          .build =
              [](Builder& b, std::span<const Value> in) {
                const Value x = in[0];
                return ops::add(b, ops::multiply(b, x, x), ops::add(b, x, x));
              },
          .reference =
              [](std::span<const Doubles> in) {
                Doubles out;
                for (const double x : in[0]) out.push_back(x * x + x + x);
                return out;
              }};
}

std::vector<OpCase> arithmetic_cases() {
  std::vector<OpCase> cases;
  for (const Shape& shape :
       {Shape{1, 1, 1, 1}, Shape{4, 5, 3, 7}, Shape{4, 32, 8, 8}, Shape{4, 37}}) {
    cases.push_back(add_case(shape));
    cases.push_back(multiply_case(shape));
    cases.push_back(twice_case(shape));
  }
  for (const Shape& shape : {Shape{4, 3, 5, 5}, Shape{2, 16, 4, 6}, Shape{4, 24, 7, 7}})
    cases.push_back(gate_case(shape));
  return cases;
}

const RegisteredOps registered(ops_of<arithmetic_cases>);

TEST(ArithmeticOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : arithmetic_cases()) check(c);
}

TEST(ArithmeticOp, RefusesShapesAndTypesThatDoNotFit) {
  Graph graph;
  Builder b(graph);
  const Value image = b.input("image", {{2, 4, 3, 3}});
  const Value other = b.input("other", {{2, 4, 3, 2}});
  const Value gate = b.input("gate", {{2, 5, 1, 1}});
  const Value half = b.input("half", {{2, 4, 3, 3}, DType::bf16});
  EXPECT_THROW(ops::add(b, image, other), Error);
  EXPECT_THROW(ops::multiply(b, image, other), Error);
  EXPECT_THROW(ops::multiply(b, image, gate), Error);
  EXPECT_THROW(ops::add(b, image, half), Error);
  const Value f16 = b.input("f16", {{2, 4, 3, 3}, DType::f16});
  EXPECT_THROW(ops::add(b, image, f16), Error);
  EXPECT_THROW(ops::multiply(b, half, f16), Error);
}

}  // namespace
}  // namespace convoy::test
