// The end of a run by the clock. Only times that are far from a limit are used: none is measured.

#include "train/time_limit.h"

#include <gtest/gtest.h>

#include "support/run_parts.h"

namespace convoy::test {
namespace {

constexpr int64_t total = 40;  // steps of the run

// Does `steps` steps that take no time.
void advance(RunParts& run, TimeLimit& limit, int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    ++run.state.progress.step;
    limit.after_step();
  }
}

TEST(TimeLimit, WithoutMaxHoursNothingChanges) {
  const TempFolder folder;
  RunParts run(folder.path());
  ASSERT_EQ(run.setup.total_steps(), total);
  TimeLimit limit(run.site, run.state);
  limit.begin();
  run.state.progress.seconds = 1e9;
  advance(run, limit, total);
  EXPECT_EQ(run.state.progress.last_step, total);
  EXPECT_EQ(run.state.progress.scheduled, 0);
  EXPECT_TRUE(run.heard.of<Shortened>().empty());
}

TEST(TimeLimit, WithTimeToSpareTheScheduleGoesStepByStep) {
  const TempFolder folder;
  RunParts run(folder.path(), {{"max-hours", "1000"}});
  TimeLimit limit(run.site, run.state);
  limit.begin();
  for (int64_t step = 1; step <= total; ++step) {
    advance(run, limit, 1);
    ASSERT_DOUBLE_EQ(run.state.progress.scheduled, static_cast<double>(step));
  }
  EXPECT_EQ(run.state.progress.last_step, total);
  EXPECT_TRUE(run.heard.of<Shortened>().empty());
}

TEST(TimeLimit, EndsAtTheNextDecisionWhenTheTimeIsOver) {
  const TempFolder folder;
  RunParts run(folder.path(), {{"max-hours", "1"}});
  run.state.progress.seconds = 3601;  // of processes before this one
  TimeLimit limit(run.site, run.state);
  limit.begin();
  advance(run, limit, 9);
  EXPECT_EQ(run.state.progress.last_step, total) << "the first decision comes after 10 steps";
  advance(run, limit, 1);
  EXPECT_EQ(run.state.progress.last_step, 10);
  const std::vector<Shortened> told = run.heard.of<Shortened>();
  ASSERT_EQ(told.size(), 1);
  EXPECT_EQ(told[0].step, 10);
  EXPECT_EQ(told[0].last_step, 10);
  EXPECT_EQ(told[0].reason, "what 1 hours allow");
}

// Evaluations of 1,000 seconds in the hour that is left: one at the end, and others every epoch of
// four steps, so that 10 more steps fit at (3,600 - 1,000) / 250 seconds each.
TEST(TimeLimit, CountsTheTimeOfEvaluationsAndFitsTheScheduleIntoTheRest) {
  const TempFolder folder;
  RunParts run(folder.path(), {{"max-hours", "1"}});
  TimeLimit limit(run.site, run.state);
  limit.begin();
  run.state.started -= 3000;  // three of these evaluations were in this process
  run.state.progress.seconds = -3000;
  for (int i = 0; i < 3; ++i) limit.add_boundary(1000);
  advance(run, limit, 10);
  EXPECT_EQ(run.state.progress.last_step, 20);
  const double before = run.state.progress.scheduled;
  EXPECT_GT(before, 10) << "the schedule hurries";
  advance(run, limit, 1);
  EXPECT_DOUBLE_EQ(run.state.progress.scheduled - before, (total - before) / 10);
  advance(run, limit, 9);
  EXPECT_NEAR(run.state.progress.scheduled, total, 1e-9) << "schedule and run end together";
}

// Steps of earlier processes are no measure of this one's pace: decisions count from `begin`.
TEST(TimeLimit, AResumedProcessDecidesAfterTenStepsOfItsOwn) {
  const TempFolder folder;
  RunParts run(folder.path(), {{"max-hours", "1"}});
  run.state.progress.step = 7;
  run.state.progress.seconds = 3601;
  TimeLimit limit(run.site, run.state);
  limit.begin();
  advance(run, limit, 9);
  EXPECT_TRUE(run.heard.of<Shortened>().empty());
  advance(run, limit, 1);
  EXPECT_EQ(run.state.progress.last_step, 17);
}

}  // namespace
}  // namespace convoy::test
