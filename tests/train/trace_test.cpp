#include "train/trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/site.h"
#include "ops/exchange.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

const MachineSpeed speed{.flops = 100e9, .bytes = 10e9};

// The events of one phase.
std::vector<Json> events_of(const std::string& text, const std::string& phase) {
  std::vector<Json> found;
  const Json trace = Json::parse(text);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST(Trace, IsAFileOfEventsThatJsonReadersTake) {
  Trace trace({.rank = 3, .processes = 4, .host = "n17"});
  trace.name_lane(2, "bucket \"1\"");
  trace.add("conv \"a\\b\"\n\xff", "op", 1.0000005, 1.25);
  trace.add("bucket 1", "exchange", 70000.000001, 70000.000001, 2);
  { const TraceSpan span(&trace, "update", "phase"); }
  { const TraceSpan nothing(nullptr, "update", "phase"); }
  trace.count("memory GB", 2.5, 1.25);
  const std::string text = trace.text(speed);
  const std::vector<Json> about = events_of(text, "M"), events = events_of(text, "X");
  ASSERT_EQ(about.size(), 6u);
  EXPECT_EQ(about[0]["args"]["name"], "rank 3 (n17)");
  EXPECT_EQ(about[1]["args"]["sort_index"], 3);
  EXPECT_EQ(about[2]["args"], (Json{{"gflop_per_s", 100.0}, {"gb_per_s", 10.0}, {"processes", 4}}));
  EXPECT_EQ(about[3]["args"]["name"], "training");
  EXPECT_EQ(about[4]["args"]["name"], "bucket \"1\"");
  EXPECT_EQ(about[4]["tid"], 2);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["pid"], 3);
  EXPECT_EQ(events[0]["tid"], 0);
  EXPECT_EQ(events[0]["cat"], "op");
  EXPECT_DOUBLE_EQ(events[0]["ts"], 1000000.5);
  EXPECT_DOUBLE_EQ(events[0]["dur"], 249999.5);
  EXPECT_DOUBLE_EQ(events[1]["ts"], 70000000001.0);
  EXPECT_EQ(events[1]["dur"], 0);
  EXPECT_EQ(events[1]["tid"], 2);
  EXPECT_EQ(events[2]["name"], "update");
  const std::vector<Json> counts = events_of(text, "C");
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0]["args"]["value"], 1.25);
  EXPECT_EQ(counts[0]["ts"], 2.5e6);
}

// Its time is that of a call, so bytes would give it many times the rate of the memory.
TEST(Trace, AMarkOfAnExchangeHasNoWork) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{1000}});
  ops::mark_bucket(b, 0, {x});
  const NodeCost cost = cost_of(graph, graph.node(graph.order.back()));
  EXPECT_EQ(cost.bytes, 0);
  EXPECT_EQ(cost.flops, 0);
}

TEST(Trace, AnOpHasItsRatesAndItsShareOfTheRoof) {
  Trace trace({});
  const TraceWork by_arithmetic{"[2, 3]", "jit", 25e9, 1e9}, by_memory{"[4]", "", 0, 1e9};
  trace.add("conv2d a", "op", 1, 1.5, 0, &by_arithmetic);
  trace.add("relu a", "op", 1.5, 1.6, 0, &by_memory);
  const std::vector<Json> events = events_of(trace.text(speed), "X");
  ASSERT_EQ(events.size(), 2u);
  const Json& first = events[0]["args"];
  EXPECT_EQ(first["shape"], "[2, 3]");
  EXPECT_EQ(first["implementation"], "jit");
  EXPECT_EQ(first["flops"], 25e9);
  EXPECT_DOUBLE_EQ(first["gflop_per_s"], 50);
  EXPECT_DOUBLE_EQ(first["gb_per_s"], 2);
  EXPECT_DOUBLE_EQ(first["share_of_roof"], 0.5);
  EXPECT_DOUBLE_EQ(events[1]["args"]["share_of_roof"], 1);
}

TEST(Trace, SeveralAreOneFileOnOneClock) {
  Trace first({.rank = 0, .processes = 2}), second({.rank = 1, .processes = 2});
  first.add("step", "step", 10, 11);
  second.add("step", "step", 3, 4);
  const std::string all = merged_traces({first.text(speed), second.text(speed, 7)});
  const std::vector<Json> events = events_of(all, "X");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["ts"], events[1]["ts"]);
  EXPECT_EQ(events[1]["pid"], 1);
  EXPECT_EQ(events_of(all, "M").size(), 8u);
}

}  // namespace
}  // namespace convoy
