// Every optimiser and every schedule, with what is true of all of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "support/session.h"
#include "train/schedules/schedule.h"
#include "train/update/optimizer.h"
#include "train/update/update_plan.h"

namespace convoy::test {
namespace {

template <class Def>
std::vector<std::string> names(const std::vector<Def>& catalog) {
  std::vector<std::string> all;
  for (const Def& def : catalog) all.emplace_back(def.name);
  return all;
}
std::string plain_name(const testing::TestParamInfo<std::string>& given) {
  std::string name = given.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

// Two parameters, one with weight decay and one without, in a bowl sum (w - target)^2 / 2.
class OptimizersCatalog : public testing::TestWithParam<std::string> {
 protected:
  OptimizersCatalog() {
    Settings settings;
    // What recipes give as a learning rate of 10 and more.
    if (GetParam() == "lars") settings["lars-eta"] = {"1", "test"};
    Fields field(settings);
    optimizer_ = find_optimizer(GetParam()).make(field, {});
    layout_.params = {
        {.name = "w", .shape = {40, 30}, .init = {}, .count = 1200},
        {.name = "b", .shape = {16}, .init = {}, .decay = false, .offset = 1200, .count = 16}};
    layout_.param_floats = 1216;
    state_ = std::make_unique<State>(layout_, int(optimizer_->slots().size()), false);
    plan_ = update_plan(*optimizer_, layout_);
    workspace_ = std::make_unique<Workspace>(std::array{static_cast<const Plan*>(&plan_)}, 2);
    executor_ = std::make_unique<Executor>(plan_, *state_, *workspace_, pool(2));
    executor_->bind("learning_rate", &learning_rate_);
    executor_->bind("grad_scale", &grad_scale_);
    executor_->bind("step", &step_);
    executor_->bind("skip_update", &skip_);
  }

  double height() const {
    double sum = 0;
    for (const float w : state_->params()) sum += std::pow(double(w) - target, 2) / 2;
    return sum;
  }
  // The gradient arrives multiplied by 8, as a sum over replicas or with a loss scale does.
  void update() {
    for (size_t i = 0; i < state_->params().size(); ++i) {
      state_->grads()[i] = 8 * (state_->params()[i] - float(target));
    }
    executor_->run();
    ++step_;
  }

  static constexpr double target = 0.5;
  std::unique_ptr<Optimizer> optimizer_;
  StateLayout layout_;
  std::unique_ptr<State> state_;
  Plan plan_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Executor> executor_;
  float learning_rate_ = 0.02f, grad_scale_ = 0.125f, step_ = 0, skip_ = 0;
};

TEST_P(OptimizersCatalog, GoesDownABowl) {
  std::iota(state_->params().begin(), state_->params().end(), -600.0f);
  for (float& w : state_->params()) w /= 600;
  const double start = height();
  for (int i = 0; i < 100; ++i) {
    update();
    ASSERT_TRUE(std::isfinite(height())) << "after " << i << " updates";
    ASSERT_EQ(executor_->output("updated")[0], 1);
  }
  EXPECT_LT(height(), 0.05 * start);
}

TEST_P(OptimizersCatalog, LeavesEverythingAloneWhenTold) {
  std::iota(state_->params().begin(), state_->params().end(), -600.0f);
  update();
  const auto all = [&] {
    std::vector<float> values(state_->params().begin(), state_->params().end());
    for (int i = 0; i < state_->slot_count(); ++i) {
      values.insert(values.end(), state_->slot(i).begin(), state_->slot(i).end());
    }
    return values;
  };
  const std::vector<float> before = all();
  skip_ = 1;
  update();
  EXPECT_EQ(all(), before);
  EXPECT_EQ(executor_->output("updated")[0], 0);
}

INSTANTIATE_TEST_SUITE_P(All, OptimizersCatalog, testing::ValuesIn(names(optimizer_catalog())),
                         plain_name);

class SchedulesCatalog : public testing::TestWithParam<std::string> {
 protected:
  static constexpr double peak = 0.4;
  static constexpr ScheduleSite run{.total_steps = 1000, .steps_per_epoch = 100};

  static LearningRate rate(Settings settings) {
    settings["lr"] = {"0.4", "test"};
    settings["lr-schedule"] = {GetParam(), "test"};
    Fields field(settings);
    LearningRate made;
    made.describe(field);
    field.finish();
    return made;
  }
  // A table of rates has its own peak.
  static double highest() { return GetParam() == "custom_lr" ? 0.8 : peak; }
  static void expect_sane(const LearningRate& lr) {
    for (int64_t step = 0; step <= 1000; ++step) {
      const double value = lr.at(step, run);
      ASSERT_TRUE(std::isfinite(value)) << "step " << step;
      ASSERT_GE(value, 0) << "step " << step;
      ASSERT_LE(value, highest() * (1 + 1e-12)) << "step " << step;
    }
  }
};

TEST_P(SchedulesCatalog, StartsAtThePeakAndStaysWithinReason) {
  const LearningRate lr = rate({});
  EXPECT_DOUBLE_EQ(lr.at(0, run), peak);
  expect_sane(lr);
}

TEST_P(SchedulesCatalog, StartsAtThePeakAfterTheWarmUp) {
  const LearningRate lr =
      rate({{"warmup-epochs", {"2", "test"}}, {"warmup-start", {"0.1", "test"}}});
  EXPECT_DOUBLE_EQ(lr.at(0, run), 0.1 * peak);
  for (int64_t step = 0; step < 200; ++step) EXPECT_LT(lr.at(step, run), lr.at(step + 1, run));
  EXPECT_DOUBLE_EQ(lr.at(200, run), peak);
  expect_sane(lr);
}

TEST_P(SchedulesCatalog, CanBeMultipliedByTheWarmUp) {
  const LearningRate alone = rate({});
  const LearningRate lr =
      rate({{"warmup-epochs", {"2", "test"}}, {"warmup-kind", {"multiply", "test"}}});
  EXPECT_DOUBLE_EQ(lr.at(100, run), 0.5 * alone.at(100, run));
  EXPECT_DOUBLE_EQ(lr.at(700, run), alone.at(700, run));
  expect_sane(lr);
}

// A run shorter than its warm-up, and one of a single step.
TEST_P(SchedulesCatalog, SurvivesShortRuns) {
  const LearningRate lr = rate({{"warmup-epochs", {"5", "test"}}});
  for (const double steps : {1.0, 20.0}) {
    for (int64_t step = 0; step <= int64_t(steps); ++step) {
      const double value = lr.at(step, {.total_steps = steps, .steps_per_epoch = 100});
      EXPECT_TRUE(std::isfinite(value) && value >= 0 && value <= peak) << value;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SchedulesCatalog, testing::ValuesIn(names(schedule_catalog())),
                         plain_name);

}  // namespace
}  // namespace convoy::test
