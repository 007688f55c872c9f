// The trace of a run on two processes: what it tells is whole, and the exchange lies where the
// counters say it does.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/processes.h"

namespace convoy {
namespace {

using test::Json;
using test::processes_recipe;
using test::ProcessesRun;

struct Event {
  std::string name, category;
  double begin, end;  // microseconds
  int lane;
};

std::vector<Event> events_of(const fs::path& file, int rank) {
  std::vector<Event> all;
  const Json trace = Json::parse(read_file(file, Fault::bug));
  for (const Json& e : trace.at("traceEvents")) {
    if (file.filename() != "all.json") {
      EXPECT_EQ(e.at("pid"), rank);
    }
    if (e.at("ph") != "X" || e.at("pid") != rank) continue;
    const double begin = e.at("ts"), length = e.at("dur");
    EXPECT_GE(length, 0);
    all.push_back({e.at("name"), e.at("cat"), begin, begin + length, e.at("tid")});
  }
  return all;
}

// Within a lane each event lies inside another or beside it.
void expect_nested(std::vector<Event> events) {
  constexpr double same = 0.01;  // digits of the file
  std::ranges::sort(events, [](const Event& a, const Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::map<int, std::vector<Event>> open;
  for (const Event& e : events) {
    std::vector<Event>& stack = open[e.lane];
    while (!stack.empty() && stack.back().end <= e.begin + same) stack.pop_back();
    if (!stack.empty()) {
      EXPECT_LE(e.end, stack.back().end + same) << e.name << " in " << stack.back().name;
    }
    stack.push_back(e);
  }
}

size_t count(const std::vector<Event>& events, const std::string& name) {
  return static_cast<size_t>(
      std::ranges::count_if(events, [&](const Event& e) { return e.name == name; }));
}

double overlap(const Event& a, const Event& b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

TEST(TraceDist, ShowsEveryStepAndTheExchangeDuringBackward) {
  const ProcessesRun run(
      2, processes_recipe({"--replicas", "2", "--batch-size", "32", "--generated-samples", "512",
                           "--epochs", "1", "--trace-steps", "100", "--model", "cifar_resnet20"}));
  const Json exchange = run.session_event("exchange");
  ASSERT_FALSE(exchange.is_null());
  for (const int rank : {0, 1}) {
    const std::vector<Event> events =
        events_of(run.dir / fmt::format("trace/rank-{}.json", rank), rank);
    expect_nested(events);
    const auto steps = exchange["steps"].get<size_t>();
    EXPECT_EQ(steps, 8u);
    for (const char* name : {"step", "forward", "backward", "update", "data wait", "bucket 0"}) {
      EXPECT_EQ(count(events, name), steps) << name;
    }
    EXPECT_GT(std::ranges::count_if(events, [](const Event& e) { return e.category == "op"; }),
              std::ssize(events) / 2);
    double all = 0, early = 0, buckets = 0, early_buckets = 0;
    for (const Event& e : events) {
      if (e.category != "exchange") continue;
      all += e.end - e.begin;
      buckets += 1;
      for (const Event& backward : events) {
        if (backward.name != "backward") continue;
        early += overlap(e, backward);
        early_buckets += e.begin >= backward.begin && e.end <= backward.end;
      }
    }
    ASSERT_GT(all, 0);
    fmt::print(
        "rank {}: {:.1f} % of the exchange's time lies in the backward pass; of {} buckets "
        "{} end there; counted by bytes: {:.1f} %\n",
        rank, 100 * early / all, buckets, early_buckets,
        100 * exchange["early_share"].get<double>());
    EXPECT_GT(early, 0);
    const std::vector<Event> merged = events_of(run.dir / "trace/all.json", rank);
    EXPECT_EQ(merged.size(), events.size()) << "rank " << rank << " of the merged file";
    expect_nested(merged);
    EXPECT_EQ(count(merged, "step"), steps);
    if (rank == 0) {  // whose counters these are; its buckets are of one size but for the last
      EXPECT_NEAR(early_buckets / buckets, exchange["early_share"].get<double>(), 0.15);
    }
  }
}

TEST(TraceDist, IsOfTheStepsThatAreAskedFor) {
  const auto steps_with = [](const test::Arguments& options) {
    const ProcessesRun run(0, processes_recipe(options));
    const std::vector<Event> events = events_of(run.dir / "trace/rank-0.json", 0);
    expect_nested(events);
    EXPECT_FALSE(fs::exists(run.dir / "trace/all.json")) << "one process is one file";
    EXPECT_GT(count(events, "checkpoint"), 0u) << "checkpoints after traced steps are in it";
    return count(events, "step");
  };
  const test::Arguments each_step{"--checkpoint-steps", "1"};
  EXPECT_EQ(steps_with(test::joined({"--profile", "2,4"}, each_step)), 3u);
  EXPECT_EQ(steps_with(test::joined({"--profile-steps", "2,3"}, each_step)), 2u);
  EXPECT_EQ(
      steps_with(test::joined({"--hooks", "profilerhook", "--profile-steps", "1,1"}, each_step)),
      1u);
}

TEST(TraceDist, IsOfTheFirstStepsAloneAndOffUnlessAskedFor) {
  const ProcessesRun traced(0, processes_recipe({"--trace-steps", "2"})),
      plain(0, processes_recipe());
  const std::vector<Event> events = events_of(traced.dir / "trace/rank-0.json", 0);
  expect_nested(events);
  EXPECT_EQ(count(events, "step"), 2u);
  EXPECT_EQ(std::ranges::count_if(events, [](const Event& e) { return e.category == "exchange"; }),
            0);
  EXPECT_FALSE(fs::exists(plain.dir / "trace"));
  EXPECT_EQ(traced.hash(), plain.hash());
}

}  // namespace
}  // namespace convoy
