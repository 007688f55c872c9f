#include "data/loading/epoch_plan.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/raises.h"

namespace convoy {
namespace {

// The steps of some epochs, made the slow way: walk over the samples and cut.
std::vector<std::vector<Position>> by_hand(int64_t n, int64_t batch, int epochs, EpochTail tail) {
  std::vector<std::vector<Position>> steps(1);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int64_t index = 0; index < n; ++index) {
      steps.back().push_back({epoch, index});
      if (static_cast<int64_t>(steps.back().size()) == batch) steps.emplace_back();
    }
    if (tail == EpochTail::drop) steps.back().clear();
    if (tail == EpochTail::short_ && !steps.back().empty()) steps.emplace_back();
  }
  if (tail == EpochTail::carry && steps.size() == 1) {  // one step there is, and it is full
    for (int64_t i = 0; static_cast<int64_t>(steps.back().size()) < batch; ++i) {
      steps.back().push_back({epochs + i / n, i % n});
    }
    return steps;
  }
  steps.pop_back();
  return steps;
}

TEST(EpochPlan, AgreesWithWalkingOverTheSamples) {
  for (const EpochTail tail : {EpochTail::carry, EpochTail::drop, EpochTail::short_}) {
    for (int64_t n = 1; n <= 24; ++n) {
      for (int64_t batch = 1; batch <= (tail == EpochTail::drop ? n : 30); ++batch) {
        const int epochs = 3;
        const auto expected = by_hand(n, batch, epochs, tail);
        const EpochPlan plan(n, batch, epochs, tail);
        ASSERT_EQ(plan.total_steps(), static_cast<int64_t>(expected.size())) << n << " " << batch;
        ASSERT_EQ(plan.epochs_after(plan.total_steps()), epochs);
        if (tail != EpochTail::carry || n * epochs % batch == 0) {
          ASSERT_EQ(plan.steps_through(epochs), plan.total_steps());
        }
        for (int64_t step = 0; step < plan.total_steps(); ++step) {
          const auto& samples = expected[static_cast<size_t>(step)];
          ASSERT_EQ(plan.count(step), static_cast<int64_t>(samples.size())) << n << " " << batch;
          for (int64_t i = 0; i < plan.count(step); ++i) {
            ASSERT_EQ(plan.at(step, i), samples[static_cast<size_t>(i)])
                << n << " " << batch << " " << step;
          }
        }
      }
    }
  }
}

TEST(EpochPlan, CountsTheStepsOfKnownRecipes) {
  const EpochPlan drop(60000, 128, 6, EpochTail::drop);
  EXPECT_EQ(drop.steps_per_epoch(), 468);
  EXPECT_EQ(drop.total_steps(), 2808);
  EXPECT_EQ(drop.epochs_after(936), 2);

  const EpochPlan carry(1281167, 1024, 90, EpochTail::carry);
  EXPECT_NEAR(carry.steps_per_epoch(), 1251.1396, 1e-4);
  EXPECT_EQ(carry.total_steps(), 112602);  // 112602.57
  EXPECT_EQ(carry.steps_through(1), 1252);
  EXPECT_LT(carry.epochs_after(112601), 90);
  EXPECT_EQ(carry.epochs_after(112602), 90);

  const EpochPlan tail(117266, 128, 1, EpochTail::short_);
  EXPECT_EQ(tail.total_steps(), 917);
  EXPECT_EQ(tail.count(915), 128);
  EXPECT_EQ(tail.count(916), 117266 - 916 * 128);
}

// torchvision's RASampler, as its definition says: every sample several times in a row, each rank
// takes every R-th of that list and keeps its share of the dataset's whole 256s.
TEST(EpochPlan, RepeatsSamplesAsTorchvisionsSamplerDoes) {
  constexpr int64_t n = 1000, times = 3, batch = 8;
  for (const int64_t ranks : {1, 3, 4}) {
    const int64_t kept = n / 256 * 256 / ranks;
    const EpochPlan plan(n, batch * ranks, 2, EpochTail::drop, {times, ranks});
    EXPECT_EQ(plan.dataset_samples(), n);
    EXPECT_EQ(plan.epoch_samples(), kept * ranks);
    ASSERT_EQ(plan.total_steps(), kept / batch * 2);
    for (int64_t step = 0; step < plan.total_steps(); ++step) {
      const int64_t in_epoch = step % (kept / batch);
      for (int64_t rank = 0; rank < ranks; ++rank) {
        for (int64_t j = 0; j < batch; ++j) {
          const int64_t place = (in_epoch * batch + j) * ranks + rank;  // in the list of all
          const Position expected{step / (kept / batch), place / times, place % times};
          ASSERT_EQ(plan.at(step, rank * batch + j), expected) << ranks << " " << step;
        }
      }
    }
  }
  test::expect_raises(Fault::usage, {"--ra-sampler", "255"}, [] {
    EpochPlan(255, 8, 1, EpochTail::carry, {3, 1});
  });
}

TEST(EpochPlan, TakesFractionsOfAnEpoch) {
  EXPECT_EQ(EpochPlan(300, 10, 0.1, EpochTail::drop).total_steps(), 3);  // 30 * 0.1 is above 3
  EXPECT_EQ(EpochPlan(300, 10, 0.11, EpochTail::drop).total_steps(), 4);
  EXPECT_EQ(EpochPlan(300, 10, 1.5, EpochTail::short_).total_steps(), 45);
  EXPECT_EQ(EpochPlan(305, 10, 0.5, EpochTail::carry).total_steps(), 15);
  EXPECT_EQ(EpochPlan(300, 10, 0.1, EpochTail::carry).total_steps(), 3);
  EXPECT_EQ(EpochPlan(305, 10, 0, EpochTail::carry).total_steps(), 0);
}

TEST(EpochPlan, RefusesWhatLeavesNoSteps) {
  test::expect_raises(Fault::usage, {"global batch of 64", "dataset of 10", "--epoch-tail"},
                      [] { EpochPlan(10, 64, 1, EpochTail::drop); });
  EXPECT_EQ(EpochPlan(10, 64, 1, EpochTail::short_).count(0), 10);
  test::expect_raises(Fault::usage, {"--batch-size"},
                      [] { EpochPlan(10, 0, 1, EpochTail::carry); });
  test::expect_raises(Fault::usage, {"--epochs"}, [] { EpochPlan(10, 2, -1, EpochTail::carry); });
  test::expect_raises(Fault::data, {"empty"}, [] { EpochPlan(0, 2, 1, EpochTail::carry); });
}

// With a cap, the steps of an epoch are the first ones of its order, whatever happens at the end.
TEST(EpochPlan, EndsAnEpochAfterTheMostSteps) {
  for (const EpochTail tail :
       {EpochTail::carry, EpochTail::drop, EpochTail::short_, EpochTail::wrap}) {
    const EpochPlan plan(1000, 30, 2, tail, {.times = 1, .replicas = 1, .most_steps = 5});
    EXPECT_EQ(plan.steps_per_epoch(), 5) << int(tail);
    EXPECT_EQ(plan.total_steps(), 10);
    EXPECT_EQ(plan.at(4, 29), (Position{.epoch = 0, .index = 149}));
    EXPECT_EQ(plan.at(5, 0), (Position{.epoch = 1, .index = 0}));
    EXPECT_EQ(plan.dataset_samples(), 1000);
    const EpochPlan uncapped(1000, 30, 2, tail, {.times = 1, .replicas = 1, .most_steps = 50});
    EXPECT_EQ(uncapped.total_steps(), EpochPlan(1000, 30, 2, tail).total_steps());
  }
}

// SSD on COCO: 115 steps an epoch of 1,024 images, 64 epochs; the stream of images runs on.
TEST(EpochPlan, WrapsIntoTheNextEpochsOrderAfterWholeSteps) {
  const EpochPlan coco(117266, 8 * 128, 64, EpochTail::wrap);
  EXPECT_EQ(coco.steps_per_epoch(), 115);
  EXPECT_EQ(coco.total_steps(), 7360);
  EXPECT_EQ(coco.steps_through(2), 230);
  EXPECT_EQ(coco.epochs_after(115), 1);
  EXPECT_EQ(coco.count(114), 1024);
  EXPECT_EQ(coco.at(114, 1023), (Position{.epoch = 1, .index = 115 * 1024 - 117266 - 1}));
  EXPECT_EQ(coco.at(115, 0), (Position{.epoch = 1, .index = 115 * 1024 - 117266}));
  // A batch larger than the dataset sees it again.
  const EpochPlan small(10, 16, 2, EpochTail::wrap);
  EXPECT_EQ(small.total_steps(), 2);
  EXPECT_EQ(small.at(0, 15), (Position{.epoch = 1, .index = 5}));
}

}  // namespace
}  // namespace convoy
