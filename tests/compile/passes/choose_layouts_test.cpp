// Where reorders stand: once for each value and layout, and before everything that is read by name.

#include <gtest/gtest.h>

#include "compile/passes/passes.h"
#include "graph/builder.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/linear.h"
#include "ops/pooling.h"
#include "ops/shape_ops.h"
#include "ops/vocabulary.h"
#include "support/session.h"
#include "support/test_ops.h"

namespace convoy::test {
namespace {

struct Case {
  Graph graph;
  Builder b{graph};
  Value x = b.input("x", {{2, 32, 8, 8}});

  void choose() { choose_layouts(graph, ops::vocabulary()); }
  int reorders() const { return count_ops(graph, "reorder"); }
  Layout layout(Value v) const { return graph.type(v).layout; }
  const Node& user(Value v) const { return graph.producer(v); }
};

TEST(ChooseLayouts, TwoReadersShareOneCopy) {
  Case c;
  const Value y = blocked(c.b, c.x), z = blocked(c.b, c.x);
  c.b.output("y", ops::relu(c.b, y));
  c.b.output("z", z);
  c.choose();
  EXPECT_EQ(c.user(y).in[0], c.user(z).in[0]);
  EXPECT_FALSE(c.user(y).in[0] == c.x);
  EXPECT_EQ(c.layout(c.user(y).in[0]), Layout::blocked);
  EXPECT_EQ(c.layout(c.x), Layout::plain);
  EXPECT_EQ(c.reorders(), 3);  // x once; each of the outputs
}

TEST(ChooseLayouts, WhatTakesAnyLayoutKeepsThatOfItsInput) {
  Case c;
  const Value conv = blocked(c.b, c.x), y = ops::relu(c.b, conv);
  const Value pooled = ops::max_pool(c.b, y, {.size = 2, .stride = 2});
  const Value again = blocked(c.b, pooled);
  c.b.output("again", again);
  c.choose();
  EXPECT_EQ(c.layout(y), Layout::blocked);
  EXPECT_EQ(c.layout(pooled), Layout::blocked);
  EXPECT_EQ(c.reorders(), 2);  // at the begin and at the end
}

TEST(ChooseLayouts, OutputsAndGradientsArePlain) {
  Case c;
  const Value w = c.b.param("w", {2, 32, 8, 8}, {});
  const Value y = blocked(c.b, c.x), d = blocked(c.b, c.x);
  c.b.output("y", y);
  c.graph.params[0].grad = d;
  (void)w;
  c.choose();
  EXPECT_EQ(c.layout(c.graph.outputs[0].value), Layout::plain);
  EXPECT_EQ(c.layout(c.graph.params[0].grad), Layout::plain);
  EXPECT_EQ(c.user(c.graph.outputs[0].value).op->name, "reorder");
}

TEST(ChooseLayouts, AnOutputThatIsAlsoReadPlainIsReorderedOnce) {
  Case c;
  const Value y = blocked(c.b, c.x);
  const Value flat = ops::reshape(c.b, y, {2, 32 * 64});  // reads plain memory
  c.b.output("y", y);
  c.b.output("flat", flat);
  c.choose();
  EXPECT_EQ(c.graph.outputs[0].value, c.user(flat).in[0]);
  EXPECT_EQ(c.reorders(), 2);
}

TEST(ChooseLayouts, AReorderStandsDirectlyBeforeItsFirstReader) {
  Case c;
  const Value other = ops::relu(c.b, c.x);
  const Value y = blocked(c.b, c.x);
  c.b.output("other", other);
  c.b.output("y", y);
  c.choose();
  std::vector<std::string> names;
  for (const int id : c.graph.order) names.emplace_back(c.graph.node(id).op->name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"input", "relu", "reorder", "test_blocked", "reorder"}));
}

}  // namespace
}  // namespace convoy::test
