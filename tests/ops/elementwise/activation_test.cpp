#include "ops/elementwise/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/cases.h"
#include "support/session.h"

namespace convoy::test {
namespace {

using Op = Value (*)(Builder&, Value);

OpCase elementwise(std::string name, InputSpec input, Op op, double (*formula)(double)) {
  return {.name = std::move(name),
          .inputs = {input},
          .build = [=](Builder& b, std::span<const Value> in) { return op(b, in[0]); },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out;
                for (const double x : in[0]) out.push_back(formula(x));
                return out;
              }};
}

double relu_formula(double x) { return x > 0 ? x : 0; }
double leaky_formula(double x) { return x > 0 ? x : 0.1 * x; }
double sigmoid_formula(double x) { return 1 / (1 + std::exp(-x)); }
double swish_formula(double x) { return x / (1 + std::exp(-x)); }

// What the op gives for these numbers.
std::vector<float> values_of(Op op, std::vector<float> x) {
  Graph graph;
  Builder b(graph);
  b.output("y", op(b, b.input("x", {{static_cast<int64_t>(x.size())}})));
  Session session(plan(std::move(graph)));
  session.bind("x", x.data());
  session.run();
  return session.output("y");
}

std::vector<OpCase> activation_cases() {
  std::vector<OpCase> cases;
  for (const Shape& shape : {Shape{1, 1, 1, 1}, Shape{4, 3, 5, 7}, Shape{2, 32, 8, 8}, Shape{8, 10},
                             Shape{4, 17, 31, 33}}) {
    const std::string text = to_string(shape);
    cases.push_back(elementwise("relu " + text, {.shape = shape, .low = -3, .high = 3, .gap = 1e-3},
                                ops::relu, relu_formula));
    cases.push_back(elementwise(
        "leaky_relu " + text, {.shape = shape, .low = -3, .high = 3, .gap = 1e-3},
        [](Builder& b, Value x) { return ops::leaky_relu(b, x, 0.1f); }, leaky_formula));
    cases.push_back(elementwise("sigmoid " + text, {.shape = shape, .low = -8, .high = 8},
                                ops::sigmoid, sigmoid_formula));
    cases.back().bf16_grad_error = 1.0 / 256;  // 1 - y of a rounded y near 1
    cases.push_back(elementwise("swish " + text, {.shape = shape, .low = -8, .high = 8}, ops::swish,
                                swish_formula));
  }
  return cases;
}

const RegisteredOps registered(ops_of<activation_cases>);

TEST(ActivationOp, AgreesWithTheFormulaAndItsSlope) {
  for (const OpCase& c : activation_cases()) check(c);
}

TEST(ActivationOp, SigmoidAndSwishSaturateFarFromZero) {
  std::vector<float> x;
  for (const float size : {30.0f, 88.0f, 104.0f, 150.0f, 200.0f, 1000.0f, 1e30f}) {
    x.push_back(size);
    x.push_back(-size);
  }
  const std::vector<float> s = values_of(ops::sigmoid, x), w = values_of(ops::swish, x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(s[i], x[i] > 0 ? 1 : 0, 1e-12) << "sigmoid of " << x[i];
    EXPECT_NEAR(w[i], x[i] > 0 ? x[i] : 0, 1e-10) << "swish of " << x[i];
  }
}

TEST(ActivationOp, NaNComesThrough) {
  // In the vector part and in the tail.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(67, 1.0f);
  x[5] = x[66] = nan;
  for (const Op op : {ops::relu, ops::swish, ops::sigmoid}) {
    const std::vector<float> y = values_of(op, x);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i == 5 || i == 66) << i;
  }
}

TEST(ActivationOp, RefusesIntegers) {
  Graph graph;
  Builder b(graph);
  const Value labels = b.input("label", {{8}, DType::s32});
  EXPECT_THROW(ops::relu(b, labels), Error);
  EXPECT_THROW(ops::swish(b, labels), Error);
  EXPECT_THROW(ops::sigmoid(b, labels), Error);
}

}  // namespace
}  // namespace convoy::test
