// What each writer writes, as text.

#include "train/step/step_schedule.h"

#include <gtest/gtest.h>

#include "train/step/check_schedules.h"

namespace convoy {
namespace {

StepShape of_rank(StepShape shape, int rank) { return shape.of_rank(rank); }

// Every schedule that is written must also be right.
std::string text_of(const StepSchedule& schedule) {
  const ScheduleCheck check = check_schedules(std::span(&schedule, 1));
  for (const std::string& fault : check.faults) ADD_FAILURE() << fault;
  return to_string(schedule);
}

TEST(StepSchedule, OneReplicaIsOneRunAndNothingIsSummed) {
  EXPECT_EQ(text_of(schedule_of({.micro_batch = 8}, {.statistics = true})),
            "batch, replica 0, micro 0\n"
            "run train, replica 0, micro 0, new parameters\n"
            "record results, replica 0, micro 0\n"
            "results\n"
            "statistics, micro 0\n"
            "update\n");
}

TEST(StepSchedule, ReplicasTogetherAreOneRunToo) {
  EXPECT_EQ(text_of(schedule_of({.replicas = 4, .together = true}, {.statistics = false})),
            "batch, replicas 0-3, micro 0\n"
            "run train, replicas 0-3, micro 0, new parameters\n"
            "record results, replicas 0-3, micro 0\n"
            "results\n"
            "update\n");
}

TEST(StepSchedule, OneReplicaIsRoundedWhereGradientsTravelNarrow) {
  EXPECT_EQ(text_of(schedule_of({.narrow = true}, {})),
            "batch, replica 0, micro 0\n"
            "run train, replica 0, micro 0, new parameters\n"
            "round, replica 0, gradients\n"
            "record results, replica 0, micro 0\n"
            "results\n"
            "update\n");
}

TEST(StepSchedule, TheTailOfAnEpochIsOneRunOfItsOwnPlan) {
  EXPECT_EQ(text_of(one_run_schedule({.micro_batch = 8}, {.statistics = true}, "tail")),
            "batch, replica 0, micro 0\n"
            "run tail, replica 0, micro 0, new parameters\n"
            "record results, replica 0, micro 0\n"
            "results\n"
            "statistics, micro 0\n"
            "update\n");
}

TEST(StepSchedule, InSequenceALeafIsFilledAndPushedForEachReplicaButTheLast) {
  EXPECT_EQ(text_of(schedule_of({.replicas = 2, .accumulation = 2}, {.statistics = true})),
            "batch, replica 0, micro 0\n"
            "run train, replica 0, micro 0, new parameters\n"
            "leaf, replica 0, micro 0, gradients\n"
            "leaf, replica 0, micro 0, statistics\n"
            "record results, replica 0, micro 0\n"
            "batch, replica 0, micro 1\n"
            "run train, replica 0, micro 1\n"
            "leaf, replica 0, micro 1, gradients\n"
            "leaf, replica 0, micro 1, statistics\n"
            "record results, replica 0, micro 1\n"
            "push, replica 0\n"
            "batch, replica 1, micro 0\n"
            "run train, replica 1, micro 0\n"
            "leaf, replica 1, micro 0, gradients\n"
            "leaf, replica 1, micro 0, statistics\n"
            "record results, replica 1, micro 0\n"
            "batch, replica 1, micro 1\n"
            "run train, replica 1, micro 1\n"
            "leaf, replica 1, micro 1, gradients\n"
            "leaf, replica 1, micro 1, statistics\n"
            "record results, replica 1, micro 1\n"
            "sum, gradients\n"
            "sum, statistics\n"
            "results\n"
            "statistics, micro 0\n"
            "statistics, micro 1\n"
            "update\n");
}

TEST(StepSchedule, StatisticsMayMoveOnceAStep) {
  EXPECT_EQ(text_of(schedule_of({.accumulation = 2, .narrow = true, .bn_per_step = true},
                                {.statistics = true})),
            "batch, replica 0, micro 0\n"
            "run train, replica 0, micro 0, new parameters\n"
            "leaf, replica 0, micro 0, gradients\n"
            "leaf, replica 0, micro 0, statistics\n"
            "record results, replica 0, micro 0\n"
            "batch, replica 0, micro 1\n"
            "run train, replica 0, micro 1\n"
            "leaf, replica 0, micro 1, gradients\n"
            "round, replica 0, gradients\n"
            "leaf, replica 0, micro 1, statistics\n"
            "record results, replica 0, micro 1\n"
            "sum, gradients\n"
            "sum, statistics\n"
            "results\n"
            "statistics, every micro\n"
            "update\n");
}

TEST(StepSchedule, WithOtherProcessesBucketsLeaveInTheMiddleOfTheRun) {
  const StepShape shape{.replicas = 2, .together = true, .processes = 2, .shard = true};
  EXPECT_EQ(to_string(schedule_of(of_rank(shape, 1), {.buckets = 2, .statistics = true})),
            "open the exchange\n"
            "batch, replica 1, micro 0\n"
            "run train, replica 1, micro 0, new parameters\n"
            "  begin, bucket 0\n"
            "  begin, bucket 1\n"
            "record results, replica 1, micro 0\n"
            "sum, statistics\n"
            "begin, statistics\n"
            "end every exchange\n"
            "results\n"
            "statistics, micro 0\n"
            "update\n"
            "gather parameters\n");
}

TEST(StepSchedule, InSequenceTheLastRunSendsTheBuckets) {
  const StepShape shape{.replicas = 3, .narrow = true, .processes = 2};
  EXPECT_EQ(to_string(schedule_of(of_rank(shape, 0), {.buckets = 1, .statistics = true})),
            "open the exchange\n"
            "batch, replica 0, micro 0\n"
            "run train, replica 0, micro 0, new parameters\n"
            "leaf, replica 0, micro 0, gradients\n"
            "round, replica 0, gradients\n"
            "leaf, replica 0, micro 0, statistics\n"
            "record results, replica 0, micro 0\n"
            "push, replica 0\n"
            "batch, replica 1, micro 0\n"
            "run train, replica 1, micro 0\n"
            "  leaf, replica 1, micro 0, bucket 0\n"
            "  round, replica 1, bucket 0\n"
            "  sum, bucket 0\n"
            "  begin, bucket 0\n"
            "leaf, replica 1, micro 0, statistics\n"
            "record results, replica 1, micro 0\n"
            "sum, statistics\n"
            "begin, statistics\n"
            "end every exchange\n"
            "results\n"
            "statistics, micro 0\n"
            "update\n");
  EXPECT_EQ(to_string(schedule_of(of_rank(shape, 1), {.buckets = 1, .statistics = false})),
            "open the exchange\n"
            "batch, replica 2, micro 0\n"
            "run train, replica 2, micro 0, new parameters\n"
            "  round, replica 2, bucket 0\n"
            "  begin, bucket 0\n"
            "record results, replica 2, micro 0\n"
            "end every exchange\n"
            "results\n"
            "update\n");
}

TEST(StepSchedule, InLockstepAllReplicasOfAMicroBatchRunAtOnce) {
  const StepShape shape{.replicas = 4, .accumulation = 2, .span = 4, .processes = 2};
  EXPECT_EQ(to_string(schedule_of(of_rank(shape, 1), {.buckets = 1, .statistics = true})),
            "open the exchange\n"
            "batch, replica 2, micro 0\n"
            "batch, replica 3, micro 0\n"
            "run train, replicas 2-3, micro 0, new parameters\n"
            "leaf, replicas 2-3, micro 0, gradients\n"
            "leaf, replicas 2-3, micro 0, statistics\n"
            "record results, replica 2, micro 0\n"
            "record results, replica 3, micro 0\n"
            "batch, replica 2, micro 1\n"
            "batch, replica 3, micro 1\n"
            "run train, replicas 2-3, micro 1\n"
            "  leaf, replicas 2-3, micro 1, bucket 0\n"
            "  sum, bucket 0\n"
            "  begin, bucket 0\n"
            "leaf, replicas 2-3, micro 1, statistics\n"
            "record results, replica 2, micro 1\n"
            "record results, replica 3, micro 1\n"
            "sum, statistics\n"
            "begin, statistics\n"
            "end every exchange\n"
            "results\n"
            "statistics, micro 0\n"
            "statistics, micro 1\n"
            "update\n");
}

TEST(StepSchedule, GroupsThatAreWholeRunOneAfterAnother) {
  const StepShape shape{.replicas = 8, .accumulation = 1, .span = 2, .processes = 2};
  EXPECT_EQ(to_string(schedule_of(of_rank(shape, 1), {.buckets = 1, .statistics = false})),
            "open the exchange\n"
            "batch, replica 4, micro 0\n"
            "batch, replica 5, micro 0\n"
            "run train, replicas 4-5, micro 0, new parameters\n"
            "leaf, replicas 4-5, micro 0, gradients\n"
            "record results, replica 4, micro 0\n"
            "record results, replica 5, micro 0\n"
            "push, replica 4\n"
            "push, replica 5\n"
            "batch, replica 6, micro 0\n"
            "batch, replica 7, micro 0\n"
            "run train, replicas 6-7, micro 0\n"
            "  leaf, replicas 6-7, micro 0, bucket 0\n"
            "  sum, bucket 0\n"
            "  begin, bucket 0\n"
            "record results, replica 6, micro 0\n"
            "record results, replica 7, micro 0\n"
            "end every exchange\n"
            "results\n"
            "update\n");
}

// All that a run can ask for, on as many processes as it has replicas for.
TEST(StepSchedule, EveryShapeGivesSchedulesWithoutAFault) {
  int checked = 0;
  for (const int replicas : {1, 2, 3, 4, 6}) {
    for (const int accumulation : {1, 2, 3}) {
      for (const int span : {1, 2, replicas}) {
        if (replicas % span != 0) continue;
        for (int processes = 1; processes <= replicas; ++processes) {
          for (const int options : {0, 1, 2, 3, 4, 5, 6, 7}) {
            const bool narrow = options & 1, statistics = options & 2, shard = options & 4;
            const StepShape shape{.replicas = replicas,
                                  .accumulation = accumulation,
                                  .together = accumulation == 1 && !narrow && span == 1,
                                  .narrow = narrow,
                                  .span = span,
                                  .bn_per_step = shard,
                                  .processes = processes,
                                  .shard = shard};
            const ExchangedParts parts{.buckets = processes > 1 ? 3 : 0, .statistics = statistics};
            std::vector<StepSchedule> ranks;
            for (int r = 0; r < processes; ++r)
              ranks.push_back(schedule_of(shape.of_rank(r), parts));
            const ScheduleCheck check = check_schedules(ranks);
            for (const std::string& fault : check.faults) ADD_FAILURE() << fault;
            // A replica at a time, unless several are in memory at once.
            for (int r = 0; r < processes; ++r) {
              const StepShape mine = shape.of_rank(r);
              EXPECT_EQ(check.peak_live[static_cast<size_t>(r)],
                        mine.together ? mine.local_replicas() : mine.lanes());
            }
            ++checked;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 500);
}

}  // namespace
}  // namespace convoy
