#include "train/run/run_progress.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/raises.h"

namespace convoy {
namespace {

constexpr ProgressBounds bounds{.total_steps = 160, .global_batch = 16, .lr = 0.1};

RunProgress sample() {
  RunProgress progress;
  progress.step = 20;
  progress.epoch_bad = 1;
  progress.best_score = 50;
  progress.main_metric = 49.5;
  progress.stale = 1;
  progress.last_step = 160;
  progress.scheduled = 21.5;
  progress.lr = 0.05;
  progress.ema_updates = 20;
  progress.averaged = 5;
  progress.seconds = 3.5;
  progress.boundary_pending = true;
  return progress;
}

TrainState state_of(const RunProgress& progress) {
  return {.step = progress.step, .numbers = numbers_of(progress)};
}

TEST(RunProgress, ComesBackAsItWas) {
  const RunProgress read = progress_of(state_of(sample()), bounds, "state.json");
  EXPECT_EQ(numbers_of(read), numbers_of(sample()));
  EXPECT_EQ(read.step, 20);
  RunProgress fresh;
  fresh.last_step = 160;
  EXPECT_EQ(numbers_of(progress_of(state_of(fresh), bounds, "state.json")), numbers_of(fresh));
}

TEST(RunProgress, NoNumberOutsideOfItsRangeIsAccepted) {
  for (const auto& [key, value] : numbers_of(sample())) {
    for (const double forged : {double(NAN), double(INFINITY), -double(INFINITY), 1e300, -2e300}) {
      TrainState state = state_of(sample());
      state.numbers[key] = forged;
      test::expect_raises(Fault::checkpoint, {"state.json: " + key, "; try: "},
                          [&] { progress_of(state, bounds, "state.json"); });
    }
  }
  const auto refused = [](const std::string& key, double forged) {
    TrainState state = state_of(sample());
    state.numbers[key] = forged;
    test::expect_raises(Fault::checkpoint, {key},
                        [&] { progress_of(state, bounds, "state.json"); });
  };
  refused("last_step", 0);
  refused("last_step", 19);
  refused("last_step", 161);
  refused("last_step", 40.5);
  refused("epoch_bad", 321);
  refused("boundary_pending", 0.5);
  refused("ema_updates", 21);
}

TEST(RunProgress, OlderCheckpointsLackSomeNumbers) {
  TrainState state = state_of(sample());
  for (const char* key : {"main_metric", "average_metric", "stale", "last_step", "scheduled", "lr",
                          "averaged", "epoch_bad"}) {
    state.numbers.erase(key);
  }
  const RunProgress read = progress_of(state, bounds, "state.json");
  EXPECT_EQ(read.main_metric, no_score);
  EXPECT_EQ(read.epoch_bad, 0);
  EXPECT_EQ(read.last_step, 160);
  EXPECT_EQ(read.scheduled, 20);
  EXPECT_EQ(read.lr, 0.1);
  EXPECT_EQ(read.averaged, 20);
  state.numbers.erase("seconds");
  test::expect_raises(Fault::checkpoint, {"says nothing about seconds"},
                      [&] { progress_of(state, bounds, "state.json"); });
}

}  // namespace
}  // namespace convoy
