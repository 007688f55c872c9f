#include "train/due.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

// 10 steps an epoch, 3 epochs.
const EpochPlan plan(80, 8, 3, EpochTail::drop);

std::string due_steps(const RunConfig& config, bool Due::*what, int64_t last = 30) {
  std::string steps;
  for (int64_t step = 1; step <= last; ++step) {
    if (due_after(config, plan, step, last).*what) steps += std::to_string(step) + " ";
  }
  return steps;
}

TEST(Due, EvaluationsAndEpochsFollowTheirIntervals) {
  RunConfig config;
  EXPECT_EQ(due_steps(config, &Due::evaluation), "10 20 30 ");
  EXPECT_EQ(due_steps(config, &Due::epoch_end), "10 20 30 ");
  config.eval_epochs = 0.5;
  EXPECT_EQ(due_steps(config, &Due::evaluation), "5 10 15 20 25 30 ");
  EXPECT_EQ(due_steps(config, &Due::epoch_end), "10 20 30 ");
  config.eval_epochs = 2;
  EXPECT_EQ(due_steps(config, &Due::evaluation), "20 30 ");  // the last step too
  config.eval_offset = 1;
  EXPECT_EQ(due_steps(config, &Due::evaluation), "10 30 ");
  config.eval_epochs = 0;
  EXPECT_EQ(due_steps(config, &Due::evaluation), "");
  EXPECT_EQ(due_steps(config, &Due::epoch_end, 25), "10 20 25 ");  // cut short
}

TEST(Due, CheckpointsByEpochsByStepsOrOnlyAtTheEnd) {
  RunConfig config;
  EXPECT_EQ(due_steps(config, &Due::checkpoint), "10 20 30 ");
  EXPECT_EQ(due_steps(config, &Due::checkpoint_if_best).size(), 9u * 2 + 21u * 3);
  config.checkpoint_steps = 7;
  EXPECT_EQ(due_steps(config, &Due::checkpoint), "7 10 14 20 21 28 30 ");
  config.checkpoint_epochs = 0;
  EXPECT_EQ(due_steps(config, &Due::checkpoint), "7 14 21 28 30 ");
  EXPECT_NE(due_steps(config, &Due::checkpoint_if_best), "");
  config.checkpoint_steps = 0;
  EXPECT_EQ(due_steps(config, &Due::checkpoint), "30 ");
  EXPECT_EQ(due_steps(config, &Due::checkpoint_if_best), "");
  config.checkpoint_epochs = 2;
  config.checkpoint_offset = 0.5;
  EXPECT_EQ(due_steps(config, &Due::checkpoint), "5 25 30 ");
}

}  // namespace
}  // namespace convoy
