// Schedules that are wrong in one way each: every fault is found, and named.

#include "train/step/check_schedules.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace convoy {
namespace {

using Kind = Action::Kind;
using Actions = std::vector<Action>;

const ExchangedParts two_buckets{.buckets = 2, .statistics = true};

std::vector<StepSchedule> sequence(int processes) {
  const StepShape shape{
      .replicas = 2 * processes, .accumulation = 2, .processes = processes, .shard = processes > 1};
  std::vector<StepSchedule> ranks;
  for (int r = 0; r < processes; ++r) {
    ranks.push_back(schedule_of(shape.of_rank(r), processes > 1 ? two_buckets : ExchangedParts{}));
  }
  return ranks;
}

Actions::iterator find(StepSchedule& schedule, const std::string& text) {
  const auto found = std::ranges::find_if(
      schedule.actions, [&](const Action& action) { return to_string(action) == text; });
  EXPECT_NE(found, schedule.actions.end()) << text;
  return found;
}

void remove(StepSchedule& schedule, const std::string& text) {
  schedule.actions.erase(find(schedule, text));
}

// Moves one action in front of another.
void move_before(StepSchedule& schedule, const std::string& text, const std::string& other) {
  const Action action = *find(schedule, text);
  remove(schedule, text);
  schedule.actions.insert(find(schedule, other), action);
}

// One of the faults is this one.
void expect_fault(const std::vector<StepSchedule>& ranks, const std::string& words) {
  const std::vector<std::string> faults = check_schedules(ranks).faults;
  EXPECT_TRUE(std::ranges::find(faults, words) != faults.end())
      << "missing: " << words << "\nfound: " << testing::PrintToString(faults);
}

TEST(CheckSchedules, GoodOnesHaveNoFault) {
  for (const int processes : {1, 2, 3}) {
    const ScheduleCheck check = check_schedules(sequence(processes));
    EXPECT_EQ(check.faults, std::vector<std::string>{});
    EXPECT_EQ(check.peak_live, std::vector<int>(static_cast<size_t>(processes), 1));
  }
}

TEST(CheckSchedules, WhatIsOutOfOrderInOneRankIsNamed) {
  struct Case {
    void (*spoil)(StepSchedule&);
    const char* fault;
  };
  for (const Case& c : std::vector<Case>{
           {[](StepSchedule& s) { remove(s, "batch, replica 0, micro 1"); },
            "rank 0: 'run train, replica 0, micro 1': without a batch"},
           {[](StepSchedule& s) { s.actions.insert(s.actions.begin() + 1, s.actions[0]); },
            "rank 0: 'batch, replica 0, micro 0': it is there already"},
           {[](StepSchedule& s) {
              find(s, "run train, replica 0, micro 0, new parameters")->fresh = 0;
            },
            "rank 0: 'run train, replica 0, micro 0': the first run of a step sees new parameters"},
           {[](StepSchedule& s) { find(s, "run train, replica 0, micro 1")->micro = 0; },
            "rank 0: 'run train, replica 0, micro 0': a second time"},
           {[](StepSchedule& s) { remove(s, "run train, replica 0, micro 1"); },
            "rank 0: replica 0, micro 1 never runs"},
           {[](StepSchedule& s) { remove(s, "record results, replica 1, micro 0"); },
            "rank 0: 'results': before those of replica 1, micro 0 are recorded"},
           {[](StepSchedule& s) {
              move_before(s, "record results, replica 0, micro 1", "run train, replica 0, micro 1");
            },
            "rank 0: 'record results, replica 0, micro 1': before it has run"},
           {[](StepSchedule& s) {
              move_before(s, "leaf, replica 0, micro 1, gradients",
                          "run train, replica 0, micro 1");
            },
            "rank 0: 'leaf, replica 0, micro 1, gradients': before it has run"},
           {[](StepSchedule& s) { remove(s, "leaf, replica 0, micro 0, gradients"); },
            "rank 0: 'leaf, replica 0, micro 1, gradients': out of order: its leaf has 0 "
            "micro-batches"},
           {[](StepSchedule& s) { remove(s, "push, replica 0"); },
            "rank 0: 'leaf, replica 1, micro 0, gradients': replica 0 was not pushed"},
           {[](StepSchedule& s) { remove(s, "leaf, replica 0, micro 1, gradients"); },
            "rank 0: 'push, replica 0': not all micro-batches of replica 0 are in its leaf"},
           {[](StepSchedule& s) { remove(s, "leaf, replica 1, micro 1, gradients"); },
            "rank 0: 'sum, gradients': not all micro-batches of replica 1 are in its leaf"},
           {[](StepSchedule& s) { s.actions.push_back(s.actions.back()); },
            "rank 0: 'update': a second time"},
           {[](StepSchedule& s) { remove(s, "results"); }, "rank 0: 'update': before the results"},
           {[](StepSchedule& s) { remove(s, "update"); }, "rank 0: no update"}}) {
    std::vector<StepSchedule> ranks = sequence(1);
    c.spoil(ranks[0]);
    expect_fault(ranks, c.fault);
  }
}

TEST(CheckSchedules, ABrokenExchangeIsNamed) {
  struct Case {
    void (*spoil)(StepSchedule&);
    const char* fault;
  };
  for (const Case& c : std::vector<Case>{
           {[](StepSchedule& s) { remove(s, "open the exchange"); },
            "rank 1: 'begin, bucket 0': before the exchange is open"},
           {[](StepSchedule& s) { remove(s, "sum, bucket 1"); },
            "rank 1: 'begin, bucket 1': before its sum"},
           {[](StepSchedule& s) { find(s, "begin, bucket 1")->part = 0; },
            "rank 1: 'begin, bucket 0': a second time"},
           {[](StepSchedule& s) { remove(s, "end every exchange"); },
            "rank 1: bucket 0 is never ended"},
           {[](StepSchedule& s) { remove(s, "end every exchange"); },
            "rank 1: 'update': while bucket 1 is under way"},
           {[](StepSchedule& s) { remove(s, "end every exchange"); },
            "exchange 3 of rank 1 is 'results', and 'end every exchange' of rank 0"},
           {[](StepSchedule& s) { move_before(s, "begin, statistics", "begin, bucket 0"); },
            "exchange 0 of rank 1 is 'begin, statistics', and 'begin, bucket 0' of rank 0"},
           {[](StepSchedule& s) { remove(s, "begin, statistics"); },
            "deadlock: rank 0 waits at 'end every exchange', rank 1 waits at 'results'"},
           {[](StepSchedule& s) { move_before(s, "gather parameters", "results"); },
            "deadlock: rank 0 waits at 'results', rank 1 waits at 'gather parameters'"},
           {[](StepSchedule& s) { move_before(s, "gather parameters", "update"); },
            "rank 1: 'gather parameters': before the update"},
           {[](StepSchedule& s) {
              remove(s, "begin, bucket 0");
              s.actions.insert(s.actions.begin() + 1,
                               {.kind = Kind::begin, .part = 0, .inside = true});
            },
            "rank 1: 'begin, bucket 0': is inside no run"}}) {
    std::vector<StepSchedule> ranks = sequence(2);
    c.spoil(ranks[1]);
    expect_fault(ranks, c.fault);
  }
}

TEST(CheckSchedules, RanksThatShareBatchNormsMustRunAsOften) {
  StepShape shape{.replicas = 2, .accumulation = 2, .span = 2, .processes = 2};
  std::vector<StepSchedule> ranks{schedule_of(shape.of_rank(0), two_buckets)};
  shape.accumulation = 1;
  ranks.push_back(schedule_of(shape.of_rank(1), two_buckets));
  expect_fault(ranks,
               "exchange 1 of rank 1 is 'begin, bucket 0', and 'run train, micro 1' of rank 0");
  expect_fault(ranks,
               "deadlock: rank 0 waits at 'run train, replica 0, micro 1', "
               "rank 1 waits at 'end every exchange'");
}

}  // namespace
}  // namespace convoy
