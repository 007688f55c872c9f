#include "graph/graph.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/builder.h"
#include "graph/print.h"
#include "graph/verify.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"

namespace convoy::test {
namespace {

// x -> relu -> y, and add(x, y) -> z, the output.
struct Example {
  Graph graph;
  Value x, y, z;

  Example() {
    Builder b(graph);
    x = b.input("x", {{2, 4}});
    y = ops::relu(b, x);
    z = ops::add(b, x, y);
    b.output("z", z);
  }
};

std::string complaint(const Graph& graph) {
  try {
    verify(graph, "this test");
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::bug);
    return e.what();
  }
  return "";
}

void expect_complaint(const Graph& graph, const std::string& about) {
  EXPECT_NE(complaint(graph).find(about), std::string::npos) << complaint(graph);
  EXPECT_NE(complaint(graph).find("after this test"), std::string::npos);
}

TEST(Verify, AcceptsALegalGraph) {
  const Example e;
  EXPECT_EQ(complaint(e.graph), "");
}

TEST(Verify, CatchesAValueReadBeforeItIsMade) {
  Example e;
  std::swap(e.graph.order[1], e.graph.order[2]);
  expect_complaint(e.graph, "read before it is made");
}

TEST(Verify, CatchesAnInputThatDoesNotExist) {
  Example e;
  e.graph.node(e.graph.order[2]).in[1] = Value{99};
  expect_complaint(e.graph, "does not exist");
  e.graph.node(e.graph.order[2]).in[1] = Value{};
  expect_complaint(e.graph, "does not exist");
}

TEST(Verify, CatchesATypeThatDoesNotFollow) {
  Example e;
  e.graph.info(e.z).type.shape = {2, 5};
  expect_complaint(e.graph, "does not follow");
  e.graph.info(e.z).type = {{2, 4}, DType::bf16};
  expect_complaint(e.graph, "does not follow");
}

TEST(Verify, CatchesABlockedLayoutOfAMatrix) {
  Example e;
  e.graph.info(e.z).type.layout = Layout::blocked;
  expect_complaint(e.graph, "rank 4");
}

TEST(Verify, CatchesAResultThatNoNodeComputes) {
  Example e;
  e.graph.order.pop_back();
  expect_complaint(e.graph, "no node computes");
}

TEST(Verify, CatchesANodeThatRunsTwice) {
  Example e;
  e.graph.order.push_back(e.graph.order.back());
  expect_complaint(e.graph, "made twice");
}

TEST(Graph, ReplaceReachesReadersAndResults) {
  Example e;
  Builder b(e.graph, size_t{1});
  const Value other = ops::relu(b, e.x);
  e.graph.replace(e.y, other);
  e.graph.replace(e.z, other);
  EXPECT_TRUE(e.graph.readers(e.y).empty());
  EXPECT_EQ(e.graph.readers(other).size(), 1u);
  EXPECT_EQ(e.graph.outputs[0].value, other);
  EXPECT_TRUE(e.graph.is_result(other));
  EXPECT_FALSE(e.graph.is_result(e.z));
  EXPECT_EQ(complaint(e.graph), "");
}

TEST(Graph, AnOpThatRefusesItsInputsLeavesNothingBehind) {
  Example e;
  Builder b(e.graph);
  const std::string before = print(e.graph);
  const Value other = b.input("other", {{3}});
  const int values = e.graph.value_count();
  EXPECT_THROW(ops::add(b, e.x, other), Error);
  EXPECT_EQ(e.graph.value_count(), values);
  EXPECT_EQ(b.position(), e.graph.order.size());
  ops::relu(b, e.x);
  EXPECT_EQ(complaint(e.graph), "");
}

TEST(Graph, AnOpMustReadValuesOfItsOwnGraph) {
  Example e;
  Builder b(e.graph);
  EXPECT_THROW(ops::relu(b, Value{}), Error);
  EXPECT_THROW(ops::relu(b, Value{99}), Error);
}

TEST(Graph, AttributesAreReadAsWhatTheOpWasGiven) {
  Graph graph;
  Builder b(graph);
  const Node& node = graph.producer(ops::leaky_relu(b, b.input("x", {{4}}), 0.5f));
  EXPECT_EQ(node.attrs<float>(), 0.5f);
  EXPECT_THROW(node.attrs<double>(), Error);
}

TEST(Graph, PrintsOneNodeALine) {
  const Example e;
  EXPECT_EQ(print(e.graph),
            "%0 f32[2x4] = input x\n"
            "%1 f32[2x4] = relu %0\n"
            "%2 f32[2x4] = add %0 %1\n"
            "z = %2\n");
}

TEST(Builder, ScopesNestInNames) {
  Graph graph;
  Builder b(graph);
  {
    const auto outer = b.scope("layer1");
    const auto inner = b.scope("0");
    b.param("weight", {4}, {});
    b.stat("mean", {4}, 0);
  }
  b.param("bias", {4}, {});
  EXPECT_EQ(graph.params[0].name, "layer1.0.weight");
  EXPECT_EQ(graph.stats[0].name, "layer1.0.mean");
  EXPECT_EQ(graph.params[1].name, "bias");
}

TEST(Builder, FeedsStatisticsOnly) {
  Example e;
  Builder b(e.graph);
  EXPECT_THROW(b.feed(e.x, e.y), Error);
}

}  // namespace
}  // namespace convoy::test
