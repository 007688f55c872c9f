// Which gradients are computed, and which are not, by the pass alone.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "compile/passes/passes.h"
#include "graph/builder.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/linear.h"
#include "ops/vocabulary.h"
#include "support/session.h"

namespace convoy::test {
namespace {

struct Case {
  Graph graph;
  Builder b{graph};
  Value scale = b.input("loss_scale", {Shape{}});

  void differentiate(const std::vector<Loss>& losses) {
    add_gradients(graph, losses, scale, ops::vocabulary());
  }
  std::string_view made_by(Value v) const { return graph.producer(v).op->name; }
};

TEST(AddGradients, AValueWithSeveralReadersGetsTheirSum) {
  Case c;
  const Value w = c.b.param("w", {4}, {});
  const Value x = ops::relu(c.b, w);
  const Value loss = ops::add(c.b, ops::sigmoid(c.b, x), ops::multiply(c.b, x, x));
  const int adds = count_ops(c.graph, "add");
  c.differentiate({{loss}});
  // Three uses of x: two sums.
  EXPECT_EQ(count_ops(c.graph, "add"), adds + 2);
  EXPECT_EQ(c.made_by(c.graph.params[0].grad), "relu_grad");
}

TEST(AddGradients, TheForwardNodesComeFirstAndAreUnchanged) {
  Case c;
  const Value loss = ops::sigmoid(c.b, ops::relu(c.b, c.b.param("w", {4}, {})));
  const std::vector<int> before = c.graph.order;
  c.differentiate({{loss}});
  ASSERT_GT(c.graph.order.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), c.graph.order.begin()));
}

TEST(AddGradients, WhatLeadsToNoTrainedParameterHasNone) {
  Case c;
  const Value x = c.b.input("x", {{2, 3}});
  const Value frozen = c.b.param("frozen", {4, 3}, {}), bias = c.b.param("bias", {4}, {});
  c.graph.params[0].rate = 0;
  const Value hidden = ops::relu(c.b, ops::linear(c.b, x, frozen, bias));
  const Value learns = c.b.param("learns", {5, 4}, {}), last = c.b.param("last", {5}, {});
  const Value loss = ops::linear(c.b, hidden, learns, last);
  c.differentiate({{loss}});
  EXPECT_FALSE(c.graph.params[0].grad);
  for (const size_t i : {1, 2, 3}) EXPECT_TRUE(c.graph.params[i].grad) << c.graph.params[i].name;
  // The second layer passes a gradient on, for the first bias; the first one does not.
  EXPECT_EQ(count_ops(c.graph, "linear_grad_input"), 1);
  // One op computes the gradients of weights and bias, so the frozen layer needs it too.
  EXPECT_EQ(count_ops(c.graph, "linear_grad_weights"), 2);
}

TEST(AddGradients, EachLossHasItsSeed) {
  Case c;
  const Value w = c.b.param("w", {4}, {});
  const Value one = ops::relu(c.b, w), two = ops::sigmoid(c.b, w);
  c.differentiate({{one, 1}, {two, 0.25f}});
  EXPECT_EQ(count_ops(c.graph, "loss_seed"), 2);
  EXPECT_EQ(c.made_by(c.graph.params[0].grad), "add");
}

TEST(AddGradients, TwoParametersNeverShareAGradient) {
  Case c;
  const Value a = c.b.param("a", {4}, {}), b = c.b.param("b", {4}, {});
  c.differentiate({{ops::add(c.b, a, b)}});
  const Value d_a = c.graph.params[0].grad, d_b = c.graph.params[1].grad;
  ASSERT_TRUE(d_a && d_b);
  EXPECT_FALSE(d_a == d_b);
}

TEST(AddGradients, AParameterWithoutInfluenceIsABug) {
  Case c;
  c.b.param("idle", {4}, {});
  const Value loss = ops::relu(c.b, c.b.param("w", {4}, {}));
  EXPECT_THROW(c.differentiate({{loss}}), Error);
}

}  // namespace
}  // namespace convoy::test
