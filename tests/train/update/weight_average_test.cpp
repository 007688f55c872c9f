#include "train/update/weight_average.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

// `--key value --key value`
WeightAverage average_of(const std::string& options, const WeightAverage::Site& site) {
  Settings settings;
  std::istringstream words(options);
  std::string key, value;
  while (words >> key >> value) settings[key.substr(2)] = {value, "command line"};
  Fields field(settings);
  WeightAverage average;
  average.describe(field);
  field.finish();
  average.check(site);
  return average;
}

// Steps after which the average moves, and by which decay, as the trainer goes about it.
using Moves = std::vector<std::pair<int64_t, double>>;
Moves moves_of(const WeightAverage& average, const EpochPlan& plan,
               const WeightAverage::Site& site) {
  Moves moves;
  int64_t averaged = 0;
  for (int64_t steps = 1; steps <= plan.total_steps(); ++steps) {
    if (!average.is_due(steps, plan)) continue;
    moves.emplace_back(steps, average.decay(averaged++, site));
    if (average.starts_over(steps, plan, site)) averaged = 0;
  }
  return moves;
}

// torchvision's references/classification/train.py, loop for loop.
TEST(WeightAverage, ModelEmaIsThatOfTorchvision) {
  for (const double warmup : {0.0, 2.0}) {
    const WeightAverage::Site site{5, warmup, 100};
    const EpochPlan plan(1050, 100, 5, EpochTail::short_);
    const WeightAverage average =
        average_of("--model-ema true --model-ema-decay 0.9998 --model-ema-steps 4", site);
    Moves expected;
    const double adjust = 100.0 * 4 / 5, alpha = std::min(1.0, (1 - 0.9998) * adjust);
    int64_t n_averaged = 0;
    for (int epoch = 0; epoch < 5; ++epoch) {
      for (int i = 0; i < 11; ++i) {
        if (i % 4 != 0) continue;
        expected.emplace_back(epoch * 11 + i + 1, n_averaged == 0 ? 0 : 1 - alpha);
        ++n_averaged;
        if (epoch < warmup) n_averaged = 0;
      }
    }
    const Moves moves = moves_of(average, plan, site);
    ASSERT_EQ(moves.size(), expected.size());
    for (size_t i = 0; i < moves.size(); ++i) {
      EXPECT_EQ(moves[i].first, expected[i].first);
      EXPECT_DOUBLE_EQ(moves[i].second, expected[i].second) << moves[i].first;
    }
  }
}

TEST(WeightAverage, ModelEmaHasTorchvisionsNumbers) {
  const WeightAverage average = average_of("--model-ema true", {600, 5, 1024});
  EXPECT_EQ(average.ema_steps, 32);
  EXPECT_NEAR(average.decay(1, {600, 5, 1024}), 1 - 2e-5 * 1024 * 32 / 600, 1e-12);
}

TEST(WeightAverage, PlainAndRampedMovingAverages) {
  const WeightAverage::Site site{2, 0, 10};
  const EpochPlan plan(65, 10, 2, EpochTail::carry);
  EXPECT_EQ(moves_of(average_of("--ema-decay 0.9 --ema-steps 5", site), plan, site),
            (Moves{{5, 0}, {10, 0.9}}));
  const Moves ramp =
      moves_of(average_of("--ema-decay 0.25 --ema-steps 3 --ema-warmup ramp", site), plan, site);
  ASSERT_EQ(ramp.size(), 4u);
  EXPECT_EQ(ramp[0].second, 0);
  EXPECT_DOUBLE_EQ(ramp[1].second, 2.0 / 11);
  EXPECT_DOUBLE_EQ(ramp[2].second, 0.25);
  EXPECT_DOUBLE_EQ(ramp[3].second, 0.25) << "4/13 is more than the decay";
}

TEST(WeightAverage, SwaWeighsTheEndsOfEpochsEqually) {
  const EpochPlan plan(100, 10, 6, EpochTail::drop);
  const WeightAverage::Site site{6, 0, 10};
  const auto moves = [&](const std::string& options) {
    return moves_of(average_of(options, site), plan, site);
  };
  EXPECT_EQ(moves("--swa-start-epoch 3"), (Moves{{40, 0}, {50, 1.0 / 2}, {60, 2.0 / 3}}));
  EXPECT_EQ(moves("--swa-start-epoch 3.5"), moves("--swa-start-epoch 3"));
  EXPECT_EQ(moves("--swa-start-epoch 0 --swa-every-epochs 2.5"), (Moves{{25, 0}, {50, 0.5}}));
  EXPECT_EQ(moves("--swa-start-epoch 1 --swa-every-epochs 2"),
            (Moves{{20, 0}, {40, 1.0 / 2}, {60, 2.0 / 3}}));
  const WeightAverage rate = average_of("--swa-start-epoch 3.5 --swa-lr 0.02", site);
  EXPECT_EQ(rate.rate(34, plan, 0.5), 0.5);
  EXPECT_EQ(rate.rate(35, plan, 0.5), 0.02);
  EXPECT_EQ(average_of("--swa-start-epoch 3", site).rate(59, plan, 0.5), 0.5);
}

TEST(WeightAverage, RefusesWhatContradictsItself) {
  const WeightAverage::Site site{10, 0, 128};
  const auto refused = [&](const std::string& options,
                           std::initializer_list<std::string_view> words,
                           const WeightAverage::Site& at) {
    expect_raises(Fault::usage, words, [&] { average_of(options, at); });
  };
  for (const char* key :
       {"--ema-steps 4", "--ema-adjust true", "--ema-phase start", "--ema-warmup ramp"}) {
    refused(key, {"without --ema-decay", "try:"}, site);
  }
  refused("--ema-decay 1", {"try: 0.999"}, site);
  refused("--model-ema true --ema-decay 0", {"--model-ema", "leave one out"}, site);
  refused("--ema-decay 0.9 --ema-warmup copy", {"--warmup-epochs", "try: --ema-warmup ramp"}, site);
  refused("--ema-decay 0.9 --ema-adjust true", {"a decay of 0", "try: --no-ema-adjust"}, site);
  refused("--ema-decay 0.9 --ema-adjust true", {"needs --epochs"}, {0, 0, 1});
  refused("--swa-lr 0.1", {"without --swa-start-epoch"}, site);
  refused("--swa-every-epochs 2", {"without --swa-start-epoch"}, site);
  refused("--swa-start-epoch 4 --ema-decay 0.9", {"two averages", "try:"}, site);
  refused("--swa-start-epoch 4 --model-ema true", {"two averages"}, site);
  refused("--swa-start-epoch 10", {"nothing to average", "try: --swa-start-epoch 7"}, site);
  refused("--swa-start-epoch 8 --swa-every-epochs 4", {"ends at 8"}, site);
  refused("--swa-start-epoch 2", {"needs --epochs"}, {0, 0, 128});
}

}  // namespace
}  // namespace convoy
