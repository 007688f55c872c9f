// The summary of traces: shares, slowest ops, what limits a run.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/traces/trace_text.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "train/trace.h"

namespace convoy::test {
namespace {

const MachineSpeed speed{.flops = 100e9, .bytes = 10e9};
const TraceWork convolution{"[8, 3, 32, 32] 3x3", "jit", 10e9, 1e8},
    addition{"[8, 16]", "", 0, 1e8};

// Two steps of a second each, which wait that long for data and for other ranks.
std::string two_steps(double data, double exchange, int rank = 0) {
  Trace trace({.rank = rank, .processes = 2, .host = "n17"});
  for (const double begin : {10.0, 11.0}) {
    trace.add("step", "step", begin, begin + 1);
    trace.add("data wait", "data", begin, begin + data);
    trace.add("conv2d conv1", "op", begin + data, begin + data + 0.2, 0, &convolution);
    trace.add("add layer1", "op", begin + data + 0.2, begin + data + 0.25, 0, &addition);
    trace.add("exchange wait", "phase", begin + data + 0.25, begin + data + 0.25 + exchange);
    trace.add("bucket 0", "exchange", begin + 0.3, begin + 0.4, 1);
    trace.add("batch 7", "loader", begin, begin + 0.5, first_loader_lane);
  }
  trace.add("checkpoint", "boundary", 12, 12.5);
  return trace.text(speed);
}

std::vector<TracedRank> summary_of(const TempFolder& folder, const std::string& text) {
  write_atomically(folder / "trace.json", text, Fault::bug);
  return read_trace(folder / "trace.json");
}

TEST(TraceSummary, SumsWhatTheStepsDid) {
  const TempFolder folder;
  const std::vector<TracedRank> ranks = summary_of(folder, two_steps(0.1, 0.05));
  ASSERT_EQ(ranks.size(), 1u);
  const TracedRank& rank = ranks[0];
  EXPECT_EQ(rank.title, "rank 0 (n17)");
  EXPECT_EQ(rank.steps, 2);
  EXPECT_NEAR(rank.step_seconds, 2, 1e-6);
  EXPECT_NEAR(rank.share("data wait"), 0.1, 1e-6);
  EXPECT_NEAR(rank.share("exchange wait"), 0.05, 1e-6);
  EXPECT_NEAR(rank.part("ops"), 0.5, 1e-6);
  EXPECT_NEAR(rank.part("checkpoint"), 0.5, 1e-6);
  EXPECT_NEAR(rank.bucket_seconds, 0.2, 1e-6);
  EXPECT_EQ(rank.loader_threads, 1);
  EXPECT_NEAR(rank.loader_seconds, 1, 1e-6);
  ASSERT_EQ(rank.ops.size(), 2u);
  EXPECT_EQ(rank.ops[0].op, "conv2d");
  EXPECT_EQ(rank.ops[0].name, "conv1");
  EXPECT_EQ(rank.ops[0].runs, 2);
  EXPECT_NEAR(rank.ops[0].seconds, 0.4, 1e-6);
  EXPECT_EQ(rank.ops[0].flops, 20e9);
}

TEST(TraceSummary, TellsWhatLimitsARun) {
  const TempFolder folder;
  const auto advice = [&](double data, double exchange) {
    return trace_advice(summary_of(folder, two_steps(data, exchange))[0]);
  };
  EXPECT_TRUE(advice(0.4, 0.1).starts_with("data-bound: a step waits 40% of its time for data"));
  EXPECT_TRUE(advice(0.1, 0.4).starts_with("exchange-bound: a step waits 40%"));
  EXPECT_TRUE(advice(0.01, 0.02).starts_with("kernel-bound: ops take 25% of a step"));
}

TEST(TraceSummary, HasTheNumbersOfBenchOps) {
  const TempFolder folder;
  const auto json = nlohmann::json::parse(trace_json(summary_of(folder, two_steps(0.1, 0)), 1));
  const auto& rank = json.at("ranks").at(0);
  EXPECT_EQ(rank.at("bound_by"), "kernels");
  ASSERT_EQ(rank.at("ops").size(), 1u);
  const auto& op = rank.at("ops").at(0);
  EXPECT_NEAR(op.at("step_s").get<double>(), 0.2, 1e-6);
  EXPECT_NEAR(op.at("gflops").get<double>(), 50, 1e-3);
  EXPECT_NEAR(op.at("share_of_peak").get<double>(), 0.5, 1e-5);
  EXPECT_NEAR(op.at("gb_per_s").get<double>(), 0.5, 1e-5);
  EXPECT_NEAR(op.at("share_of_roof").get<double>(), 0.5, 1e-5);
  const std::string text = trace_text(summary_of(folder, two_steps(0.1, 0)), 0);
  EXPECT_NE(text.find("  200.000  80.0%      50.0    50%     0.5    50%  conv2d"),
            std::string::npos)
      << text;
}

TEST(TraceSummary, OfSeveralRanksComesFromOneFileOrFromAll) {
  const TempFolder folder;
  make_folders(folder / "trace", Fault::bug);
  write_atomically(folder / "trace/rank-0.json", two_steps(0, 0), Fault::bug);
  write_atomically(folder / "trace/rank-1.json", two_steps(0, 0, 1), Fault::bug);
  EXPECT_EQ(read_traces_of(folder.path()).size(), 2u);
  const std::string text = trace_text(read_traces_of(folder.path()), 1);
  EXPECT_NE(text.find("\n\nrank 1 (n17): 2 steps"), text.npos) << text;
  write_atomically(folder / "trace/all.json",
                   merged_traces({two_steps(0, 0), two_steps(0, 0, 1), two_steps(0, 0, 2)}),
                   Fault::bug);
  EXPECT_EQ(read_traces_of(folder.path()).size(), 3u);
}

TEST(TraceSummary, ADamagedFileIsNamed) {
  const TempFolder folder;
  const std::string sound = two_steps(0.1, 0.1);
  for (const std::string& text : {std::string("nothing"), std::string("{\"traceEvents\":[\n"),
                                  sound.substr(0, sound.size() / 2), Trace({}).text(speed)}) {
    expect_raises(Fault::data, {"trace.json", "try: "}, [&] { summary_of(folder, text); });
  }
  expect_raises(Fault::usage, {"has no trace", "--profile"},
                [&] { read_traces_of(folder.path()); });
}

}  // namespace
}  // namespace convoy::test
