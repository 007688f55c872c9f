// What begins an exchange runs as early as it can; everything else keeps its place.

#include <gtest/gtest.h>

#include "compile/passes/passes.h"
#include "graph/builder.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "support/test_ops.h"

namespace convoy::test {
namespace {

std::vector<std::string> names(const Graph& graph) {
  std::vector<std::string> all;
  for (const int id : graph.order) all.emplace_back(graph.node(id).op->name);
  return all;
}
using Names = std::vector<std::string>;

TEST(OrderNodes, WhatBeginsFollowsItsInput) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{4}});
  const Value first = ops::relu(b, x), second = ops::sigmoid(b, first);
  const Value third = ops::swish(b, second);
  const Value begun = begin_doubling(b, first, 0);
  b.output("y", ops::add(b, end_doubling(b, begun), third));
  order_nodes(graph);
  EXPECT_EQ(names(graph),
            (Names{"input", "relu", "test_begin", "sigmoid", "swish", "test_end", "add"}));
}

TEST(OrderNodes, SeveralThatBeginStandSideBySide) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{4}}), y = b.input("y", {{4}});
  const Value a = ops::relu(b, x), c = ops::sigmoid(b, y);
  const Value second = begin_doubling(b, c, 0), first = begin_doubling(b, a, 0);
  const Value at_once = begin_doubling(b, x, 0);
  b.output("sum", ops::add(b, ops::add(b, end_doubling(b, second), end_doubling(b, first)),
                           end_doubling(b, at_once)));
  order_nodes(graph);
  const Names ordered = names(graph);
  EXPECT_EQ(Names(ordered.begin(), ordered.begin() + 7),
            (Names{"input", "test_begin", "input", "relu", "test_begin", "sigmoid", "test_begin"}));
}

TEST(OrderNodes, WithoutAnyTheOrderStays) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{4}});
  b.output("y", ops::add(b, ops::relu(b, x), ops::sigmoid(b, x)));
  const std::vector<int> before = graph.order;
  order_nodes(graph);
  EXPECT_EQ(graph.order, before);
}

}  // namespace
}  // namespace convoy::test
