// Runs that end before their epochs do: nothing gets better, or the time is up.

#include "train/stop_rules.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/label_metrics.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::events;
using test::tiny;
using test::TinyRun;

TEST(StopRules, WhatFitsIntoTheTime) {
  const Pace pace{
      .seconds_left = 100, .step_seconds = 1, .boundary_seconds = 10, .boundary_steps = 10};
  EXPECT_EQ(steps_in_time(pace, 1000), 45);  // (100 - 10) / (1 + 1)
  EXPECT_EQ(steps_in_time(pace, 30), 30);
  EXPECT_EQ(steps_in_time({.seconds_left = 5, .step_seconds = 1, .boundary_seconds = 10}, 30), 0);
}

TEST(StopRules, PatienceEndsARunThatDoesNotLearn) {
  // With a learning rate of zero the second evaluation is as good as the first.
  TinyRun run(tiny({"--epochs", "20", "--lr", "0", "--patience", "2"}));
  run.whole();
  EXPECT_EQ(events(run.dir(), "eval").size(), 3u);
  const auto shortened = events(run.dir(), "shortened");
  ASSERT_EQ(shortened.size(), 1u);
  EXPECT_EQ(shortened[0]["last_step"], 48);
  EXPECT_EQ(events(run.dir(), "run_end").at(0)["exit"], 0);
  EXPECT_TRUE(fs::exists(run.dir() / "weights/last.safetensors"));
  // It is over: there is nothing to go on with.
  const test::Finished again = test::run_convoy(TinyRun::resume(), run.folder());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(events(run.dir(), "eval").size(), 3u);
}

TEST(StopRules, WhatIsBetterIsWhatWasAskedFor) {
  const auto score = [&](const char* metric) {
    return StopRules{.best_metric = metric}.score(test::label_metrics(2, 30, 70),
                                                  test::label_metrics(1.5, 40, 80));
  };
  EXPECT_EQ(score("top1"), 30);
  EXPECT_EQ(score("top5"), 70);
  EXPECT_EQ(score("loss"), -2);
  EXPECT_EQ(score("train-loss"), -1.5);
  EXPECT_EQ(score("train-top1"), 40);
  // With a rate of zero only the training loss of shuffled batches differs from epoch to epoch.
  TinyRun run(tiny({"--epochs", "4", "--lr", "0", "--best-metric", "train-loss"}));
  run.whole();
  const auto saved = events(run.dir(), "checkpoint");
  double best = 1e300;
  std::ifstream summary(run.dir() / "summary.csv");
  std::string line;
  std::getline(summary, line);
  for (size_t epoch = 0; std::getline(summary, line); ++epoch) {
    const double loss = std::stod(line.substr(line.find(',') + 1));
    EXPECT_EQ(saved.at(epoch)["best"].get<bool>(), loss < best) << epoch;
    best = std::min(best, loss);
  }
}

TEST(StopRules, PatienceIsCountedOverKillsAndResumes) {
  const auto recipe = tiny({"--epochs", "20", "--lr", "0", "--patience", "3"});
  TinyRun whole(recipe), cut(recipe);
  whole.whole();
  int kills = 0;
  for (const int64_t step : {20, 40}) {
    test::Process process(cut.next(), cut.folder());
    const auto reached = [&] {
      const auto steps = test::checkpoint_steps(cut.dir());
      return !steps.empty() && steps.back() >= step / 16 * 16;
    };
    if (process.until(reached)) {
      process.send(SIGKILL);
      ++kills;
    }
    process.wait();
  }
  EXPECT_GE(kills, 1);
  EXPECT_EQ(test::run_convoy(cut.next(), cut.folder()).code, 0);
  test::expect_equal(test::run_record(cut.dir()), test::run_record(whole.dir()));
}

TEST(StopRules, ARunOfSomeSecondsGoesThroughItsWholeSchedule) {
  // 3.6 seconds for what would take minutes.
  TinyRun run(tiny({"--epochs", "2000", "--lr", "0.1", "--lr-schedule", "cosine", "--max-hours",
                    "0.001", "--eval-epochs", "500", "--log-steps", "1"}));
  run.whole();
  const auto shortened = events(run.dir(), "shortened");
  ASSERT_GE(shortened.size(), 1u);
  const auto steps = events(run.dir(), "train");
  EXPECT_LT(steps.back()["step"].get<int64_t>(), 2000 * 16);
  EXPECT_EQ(steps.back()["step"], shortened.back()["last_step"]);
  EXPECT_GT(steps.front()["lr"].get<double>(), 0.09);
  EXPECT_LT(steps.back()["lr"].get<double>(), 0.001);
  for (size_t i = 1; i < steps.size(); ++i) {
    EXPECT_LE(steps[i]["lr"].get<double>(), steps[i - 1]["lr"].get<double>());
  }
  EXPECT_EQ(events(run.dir(), "eval").size(), 1u);
}

}  // namespace
}  // namespace convoy
