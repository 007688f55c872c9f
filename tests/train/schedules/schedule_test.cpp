// The learning rates of the five reference implementations (docs/decisions/0006), from options as a
// user types them to the rate of a step. The expected numbers have six digits.

#include "train/schedules/schedule.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "config/support.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;

constexpr int64_t imagenet = 1'281'167, coco = 117'266;

// `--key value --key value`
Settings typed(const std::string& options) {
  Settings settings;
  std::istringstream words(options);
  std::string key, value;
  while (words >> key >> value) settings[key.substr(2)] = {value, "command line"};
  return settings;
}

// The rates of a run, found as the trainer finds them.
class RatesOf {
 public:
  RatesOf(int64_t samples, const std::string& options) : field_(typed(options)) {
    config_.describe(field_);
    field_.finish();
    plan_.emplace(samples, config_.step_shape().global_batch(), config_.epochs,
                  config_.data.tail());
  }
  double at(int64_t step) const { return config_.lr.at(step, config_.schedule_site(*plan_)); }
  double peak() const { return config_.lr.peak(plan_->batch()); }
  double steps_per_epoch() const { return plan_->steps_per_epoch(); }
  // The first step at the peak.
  int64_t warmup() const {
    int64_t step = 0;
    while (at(step) < peak()) ++step;
    return step;
  }
  void expect(const std::vector<std::pair<int64_t, double>>& expected) const {
    for (const auto& [step, rate] : expected) EXPECT_NEAR(at(step), rate, 6e-7) << "step " << step;
  }

 private:
  Fields field_;
  RunConfig config_;
  std::optional<EpochPlan> plan_;
};

TEST(Schedule, S0PiecewiseBoundariesBelongToTheLeft) {
  const RatesOf rates(
      imagenet,
      "--global-batch-size 1024 --epochs 90 --epoch-tail drop --lr_schedule piecewise "
      "--base_learning_rate 0.1 --lr-batch 256 --warmup_epochs 5 --warmup-kind replace "
      "--piecewise-boundary left");
  constexpr int64_t e = 1251;
  EXPECT_EQ(rates.steps_per_epoch(), e);
  EXPECT_EQ(rates.warmup(), 5 * e);
  rates.expect({{0, 0},
                {e, 0.08},
                {5 * e - 1, 0.399936},
                {5 * e, 0.4},
                {30 * e, 0.4},
                {30 * e + 1, 0.04},
                {60 * e, 0.04},
                {60 * e + 1, 0.004},
                {80 * e, 0.004},
                {80 * e + 1, 0.0004},
                {90 * e - 1, 0.0004}});
}

TEST(Schedule, S0Polynomial) {
  const RatesOf rates(
      imagenet,
      "--global-batch-size 2048 --epochs 40 --epoch-tail drop --lr_schedule polynomial "
      "--lr 9.5 --warmup_epochs 3 --end_learning_rate 1e-4 --poly-lr-extra-steps 1");
  EXPECT_EQ(rates.steps_per_epoch(), 625);
  EXPECT_EQ(rates.warmup(), 1875);
  rates.expect({{0, 0},
                {625, 3.166667},
                {1875, 9.5},
                {1876, 9.499178},
                {5000, 7.106038},
                {12500, 2.776024},
                {25000, 0.0001}});
  // The end lies a step after the run's.
  EXPECT_GT(rates.at(25000), 0.0001);
  EXPECT_DOUBLE_EQ(rates.at(25001), 0.0001);
}

TEST(Schedule, S0ConstantGrowsWithTheBatch) {
  for (const auto& [batch, rate] : std::map<int, double>{{64, 0.025}, {256, 0.1}, {2048, 0.8}}) {
    const RatesOf rates(imagenet,
                        "--lr_schedule constant --base_learning_rate 0.1 --lr-batch 256 "
                        "--global-batch-size " +
                            std::to_string(batch));
    EXPECT_DOUBLE_EQ(rates.peak(), rate);
    rates.expect({{0, rate}, {1, rate}, {5000, rate}});
  }
}

// b is no whole number: 1281167 / 1024.
constexpr const char* s1 =
    "--global-batch-size 1024 --epochs 90 --epoch-tail carry --warmup_epochs 8 --lr-batch 256 "
    "--warmup-kind replace ";

TEST(Schedule, S1CosineStartsUnderTheWarmUp) {
  const RatesOf rates(imagenet, std::string(s1) + "--lr-schedule cosine --base-lr 0.256");
  EXPECT_DOUBLE_EQ(rates.peak(), 1.024);
  rates.expect({{0, 0},
                {5004, 0.511949},
                {10008, 1.023898},
                {10009, 1.004166},
                {56301, 0.512},
                {112602, 0},
                {112603, 0}});
  EXPECT_LT(rates.at(10009), rates.at(10008));
  EXPECT_EQ(rates.at(112602), 0);  // N = int(90 b)
  EXPECT_GT(rates.at(112601), 0);
}

TEST(Schedule, S1SteppedCutsBoundariesToWholeSteps) {
  const RatesOf rates(imagenet,
                      std::string(s1) +
                          "--lr-schedule piecewise --base-lr 0.128 --piecewise-boundary left "
                          "--piecewise-epochs 30,60,80,90 --piecewise-factors "
                          "0.1,0.01,0.001,0.0001");
  EXPECT_DOUBLE_EQ(rates.peak(), 0.512);
  EXPECT_EQ(rates.warmup(), 10009);
  double rate = 0.512;
  for (const int64_t boundary : {37534, 75068, 100091, 112602}) {  // int(b {30, 60, 80, 90})
    EXPECT_DOUBLE_EQ(rates.at(boundary), rate);
    rate /= 10;
    EXPECT_DOUBLE_EQ(rates.at(boundary + 1), rate);
  }
}

void expect_s2(const RatesOf& rates, double peak, int64_t warmup, int64_t first, int64_t second) {
  EXPECT_DOUBLE_EQ(rates.peak(), peak);
  EXPECT_EQ(rates.warmup(), warmup);
  EXPECT_DOUBLE_EQ(rates.at(warmup / 5), peak * double(warmup / 5) / double(warmup));
  EXPECT_DOUBLE_EQ(rates.at(first - 1), peak);
  EXPECT_DOUBLE_EQ(rates.at(first), 0.1 * peak);
  EXPECT_DOUBLE_EQ(rates.at(second - 1), 0.1 * peak);
  EXPECT_DOUBLE_EQ(rates.at(second), 0.01 * peak);
}

TEST(Schedule, S2DropsAtTheBoundaryItself) {
  const std::string s2 =
      "--epochs 64 --epoch-tail short --base_lr 3e-3 --lr-batch 32 --lr-schedule piecewise "
      "--piecewise-epochs 40,50 --piecewise-factors 0.1,0.01 --warmup-kind replace ";
  const std::string five = s2 + "--lr_warmup_epoch 5 ";
  expect_s2({coco, five + "--global-batch-size 128"}, 0.012, 4585, 36680, 45850);
  expect_s2({coco, five + "--global-batch-size 1024"}, 0.096, 575, 4600, 5750);
  // k: int(40 (1 + k/10) e)
  expect_s2({coco, five + "--global-batch-size 1024 --k 1"}, 0.096, 575, 5060, 6325);
  expect_s2({coco, five + "--global-batch-size 128 --k 3"}, 0.012, 4585, 47684, 59605);
  // MLPerf 0.6: 585 warm-up steps, of 115 in an epoch.
  expect_s2({coco, s2 + "--lr-warmup-epoch 5.086956521739131 --global-batch-size 1024"}, 0.096, 585,
            4600, 5750);
}

TEST(Schedule, S3CustomLr) {
  const RatesOf rates(
      imagenet,
      "--global-batch-size 2048 --epochs 90 --epoch-tail drop --lr 0.1 --lr-scheduler "
      "custom_lr");
  const std::vector<std::pair<int64_t, double>> first_epochs{
      {0, 0.1},  {1, 0.275}, {2, 0.45},   {3, 0.625},  {4, 0.8},     {29, 0.8},
      {30, .08}, {59, 0.08}, {60, 0.008}, {79, 0.008}, {80, 0.0008}, {89, 0.0008}};
  for (const auto& [epoch, rate] : first_epochs) {
    EXPECT_EQ(rates.at(epoch * 625), rate) << epoch;
    EXPECT_EQ(rates.at(epoch * 625 + 624), rate) << epoch;
  }
}

struct Lars {
  int64_t batch;
  int epochs;
  double peak;
  int64_t total, warmup;
};

TEST(Schedule, S4PolynomialOfTheMlperfRecipes) {
  for (const Lars& pod : {Lars{3200, 38, 10.72, 15213, 800}, Lars{3840, 38, 12.15, 12678, 667},
                          Lars{5120, 41, 11.2, 10259, 500}, Lars{10240, 45, 17.2, 5630, 250}}) {
    const RatesOf rates(imagenet,
                        fmt::format("--global-batch-size {} --epochs {} --abs-learning-rate {} "
                                    "--epoch-tail carry --warmup-epochs 2 --lr-schedule "
                                    "polynomial_decay_lr --poly-lr-decay-power 2 "
                                    "--abs-end-learning-rate 0.0001",
                                    pod.batch, pod.epochs, pod.peak));
    EXPECT_EQ(rates.warmup(), pod.warmup);
    EXPECT_DOUBLE_EQ(rates.at(pod.warmup / 2),
                     pod.peak * double(pod.warmup / 2) / double(pod.warmup));
    EXPECT_GT(rates.at(pod.total - 1), 0.0001);
    EXPECT_DOUBLE_EQ(rates.at(pod.total), 0.0001);
    if (pod.batch == 3200) {
      rates.expect({{400, 5.36}, {800, 10.72}, {7606, 2.986231}, {15213, 0.0001}});
    }
  }
}

TEST(Schedule, S4PolynomialMayEndAtAShareOfThePeak) {
  const RatesOf rates(
      1000,
      "--batch-size 10 --epochs 10 --lr 4 --lr-schedule polynomial --poly-lr-end-ratio "
      "0.25 --poly-lr-decay-power 1");
  rates.expect({{0, 4}, {500, 2.5}, {1000, 1}});
}

TEST(Schedule, S4CosineIsMultipliedByTheWarmUp) {
  const RatesOf rates(
      imagenet,
      "--global-batch-size 16384 --epochs 100 --base-learning-rate-exponent -13 "
      "--epoch-tail carry --lr-schedule cosine --warmup-epochs 5 --warmup-kind multiply");
  EXPECT_EQ(rates.peak(), 2);
  rates.expect({{0, 0}, {195, 0.998466}, {390, 1.987748}, {3909, 1.000201}, {7819, 0}});
}

TEST(Schedule, S4SteppedDropsAfterSharesOfTheRun) {
  const RatesOf rates(
      1000,
      "--batch-size 10 --epochs 10 --lr 0.5 --lr-schedule stepped --learning-rate-decay "
      "0.1 --learning-rate-schedule 0.5,0.75,0.875 --warmup-epochs 0.5 --warmup-kind "
      "multiply");
  rates.expect({{0, 0},
                {1, 0.01},
                {49, 0.49},
                {50, 0.5},
                {500, 0.5},
                {501, 0.05},
                {750, 0.05},
                {751, 0.005},
                {875, 0.005},
                {876, 0.0005}});
}

TEST(Schedule, S4ExponentialDropsSoManyTimes) {
  const RatesOf rates(
      imagenet,
      "--global-batch-size 768 --epochs 350 --base-learning-rate-exponent -14 "
      "--epoch-tail carry --lr-schedule exponential --lr-decay-rate 0.97 --lr-drops 146 "
      "--warmup-epochs 5 --warmup-kind multiply");
  EXPECT_EQ(rates.peak(), 0.046875);
  constexpr int64_t total = imagenet * 350 / 768, warmup = total * 5 / 350;
  constexpr double every = 350.0 / 146;  // 2.39726 epochs
  EXPECT_NEAR(every, 2.39726, 6e-6);
  for (int64_t step = 0; step <= total; step += 997) {
    const double epoch = double(step) * 350 / double(total);
    const double rise = step < warmup ? double(step) / double(warmup) : 1;
    EXPECT_NEAR(rates.at(step), rise * 0.046875 * std::pow(0.97, std::floor(epoch / every)), 1e-12)
        << step;
  }
  EXPECT_NEAR(rates.at(total - 1), 0.046875 * std::pow(0.97, 145), 1e-12);
}

struct Warmup {
  int64_t samples, batch, epochs, warmup_epochs;
};

// S4 computes total * warmup_epochs // epochs where we cut warmup_epochs * steps per epoch.
TEST(Schedule, S4WarmUpsOfAllItsRecipesHaveTheSameSteps) {
  for (const Warmup& r :
       {Warmup{imagenet, 2304, 44, 5}, Warmup{imagenet, 1920, 40, 5}, Warmup{imagenet, 2560, 41, 5},
        Warmup{imagenet, 2048, 41, 5}, Warmup{imagenet, 16384, 100, 5},
        Warmup{imagenet, 1024, 65, 5}, Warmup{50000, 32, 10, 5}, Warmup{imagenet, 768, 120, 5},
        Warmup{imagenet, 768, 350, 5}, Warmup{imagenet, 800, 350, 5}, Warmup{imagenet, 640, 350, 5},
        Warmup{imagenet, 3040, 350, 50}}) {
    const RatesOf rates(r.samples, fmt::format("--global-batch-size {} --epochs {} --warmup-epochs "
                                               "{} --epoch-tail carry --lr-schedule constant",
                                               r.batch, r.epochs, r.warmup_epochs));
    const int64_t total = r.samples * r.epochs / r.batch;
    EXPECT_EQ(rates.warmup(), total * r.warmup_epochs / r.epochs) << r.batch;
  }
}

TEST(Schedule, TheExponentIsTimesTheGlobalBatch) {
  EXPECT_EQ(RatesOf(imagenet, "--batch-size 4 --base-learning-rate-exponent -8").peak(), 0.015625);
  EXPECT_EQ(RatesOf(imagenet, "--batch-size 16 --base-learning-rate-exponent -4").peak(), 1);
  EXPECT_EQ(RatesOf(imagenet,
                    "--batch-size 4 --replicas 4 --gradient-accumulation-count 64 "
                    "--base-learning-rate-exponent -11")
                .peak(),
            0.5);
  EXPECT_NEAR(
      RatesOf(imagenet, "--global-batch-size 3040 --base_learning_rate_exponent -9.5").peak(),
      4.19845, 6e-6);
}

// The same cosine, read every step and once an epoch.
TEST(Schedule, ChangesWithTheStepOrWithTheEpoch) {
  const std::string options = "--batch-size 10 --epochs 20 --lr 0.4 --min-lr 0.01 ";
  const RatesOf steps(1000, options + "--lr-schedule cosine");
  const RatesOf epochs(1000, options + "--lr-schedule cosine --lr-per epoch");
  const RatesOf named(1000, options + "--lr-scheduler cosineannealinglr");
  const RatesOf both(1000, options + "--lr-scheduler cosineannealinglr --lr-per step");
  for (const int64_t step : {0, 1, 99, 100, 101, 1050, 1999}) {
    EXPECT_DOUBLE_EQ(epochs.at(step), steps.at(step / 100 * 100)) << step;
    EXPECT_EQ(named.at(step), epochs.at(step)) << step;
    EXPECT_EQ(both.at(step), steps.at(step)) << step;
  }
}

// With --epoch-tail carry the third epoch of 4 samples starts with sample 9: step 3 of 3.
TEST(Schedule, AnEpochBeginsWithTheStepThatBeginsIt) {
  const RatesOf rates(4,
                      "--batch-size 3 --epochs 9 --epoch-tail carry --lr 1 --lr-schedule step "
                      "--lr-step-size 3 --lr-gamma 0.5 --lr-per epoch");
  EXPECT_EQ(rates.at(3), 1);
  EXPECT_EQ(rates.at(4), 0.5);
  EXPECT_EQ(rates.at(7), 0.5);
  EXPECT_EQ(rates.at(8), 0.25);
}

TEST(Schedule, FractionsOfAStepAreCutOffButNotRoundingErrors) {
  EXPECT_EQ(whole_steps(0.29 * 100), 29);
  EXPECT_EQ(whole_steps(2.999), 2);
  EXPECT_EQ(whole_steps(0), 0);
  EXPECT_EQ(RatesOf(1000, "--batch-size 10 --epochs 3 --warmup-epochs 0.29").warmup(), 29);
  EXPECT_EQ(RatesOf(1000, "--batch-size 10 --epochs 3 --warmup-epochs 0.299").warmup(), 29);
}

// The steps come from --max-steps when there are no epochs; else it only cuts them off.
// A run that ends within its warm-up sees the part of it up to there.
TEST(Schedule, AWarmUpLongerThanTheRunIsNotSqueezed) {
  const RatesOf lars(imagenet,
                     "--optimizer lars --epochs 1 --batch-size 256 --lr 2.5 --warmup-epochs 3 "
                     "--lr-schedule polynomial --poly-lr-extra-steps 1 --min-lr 1e-4");
  lars.expect({{0, 0}, {2502, 2.5 / 6}, {5003, 2.5 * 5003 / 15012}});
  const RatesOf cosine(
      imagenet, "--epochs 2 --batch-size 256 --lr 1 --warmup-epochs 4 --warmup-kind replace");
  cosine.expect({{5004, 0.25}, {10007, 10007.0 / 20016}});
  const RatesOf epochs(imagenet,
                       "--epochs 2 --batch-size 256 --lr 1 --warmup-epochs 5 --lr-schedule "
                       "cosineannealinglr --warmup-method linear");
  epochs.expect({{0, 0.01}, {5004, 0.01 + 0.99 / 5}});
}

// torchvision's defaults: a constant hundredth of the rate.
TEST(Schedule, ASchedulerOfTorchvisionWarmsUpAsTorchvisionDoes) {
  const RatesOf steplr(imagenet,
                       "--lr-scheduler steplr --lr-warmup-epochs 5 --batch-size 256 --lr 0.5 "
                       "--epochs 90");
  steplr.expect({{0, 0.005}, {5 * 5004 - 1, 0.005}, {5 * 5004, 0.5}});
  const RatesOf linear(imagenet,
                       "--lr-scheduler steplr --lr-warmup-epochs 5 --lr-warmup-method linear "
                       "--batch-size 256 --lr 0.5 --epochs 90");
  linear.expect({{0, 0.005}, {5004, 0.5 * (0.01 + 0.99 / 5)}, {5 * 5004, 0.5}});
  const RatesOf own(imagenet, "--lr-schedule step --warmup-epochs 5 --batch-size 256 --lr 0.5");
  own.expect({{0, 0}});
}

TEST(Schedule, IterationsAreTheWholeRunAndMaxStepsOnlyCutIt) {
  const RatesOf iterations(imagenet, "--iterations 100 --batch-size 256 --lr 1");
  iterations.expect({{0, 1}, {50, 0.5}, {100, 0}});
  const RatesOf cut(imagenet, "--max-steps 100 --batch-size 256 --lr 1");
  EXPECT_GT(cut.at(99), 0.99);
}

TEST(Schedule, CoversTheEpochsAskedFor) {
  const std::string line =
      "--batch-size 10 --lr 1 --lr-schedule polynomial --poly-lr-decay-power 1 ";
  const RatesOf steps(1000, line + "--epochs 0 --max-steps 50"), cut(1000, line + "--max-steps 50");
  EXPECT_DOUBLE_EQ(steps.at(25), 0.5);
  EXPECT_DOUBLE_EQ(cut.at(25), 0.975);
}

TEST(Schedule, EveryFlagOfTheStacksIsKnown) {
  Fields field({});
  RunConfig::describe_all(field);
  for (const char* flag : {"lr_schedule",
                           "base_learning_rate",
                           "end_learning_rate",
                           "warmup_epochs",        // S0
                           "start_learning_rate",  // S1
                           "lr_warmup_epoch",
                           "base_lr",
                           "k",  // S2
                           "lr",
                           "lr-scheduler",
                           "lr-warmup-epochs",
                           "lr-warmup-method",
                           "lr-warmup-decay",
                           "lr-step-size",
                           "lr-gamma",
                           "lr-min",  // S3
                           "base-learning-rate-exponent",
                           "abs-learning-rate",
                           "learning-rate-decay",  // S4
                           "learning-rate-schedule",
                           "lr-decay-rate",
                           "lr-drops",
                           "poly-lr-decay-power",  //
                           "poly-lr-end-ratio",
                           "abs-end-learning-rate"}) {
    EXPECT_TRUE(find_field(field.all(), flag)) << flag;
  }
  // The names in the other stacks.
  for (const char* name : {"steplr", "cosineannealinglr", "exponentiallr", "polynomial_decay_lr"}) {
    EXPECT_TRUE(find_schedule(name).has_name(name));
  }
}

TEST(Schedule, EachIsFoundByAllOfItsNames) {
  for (const ScheduleDef& def : schedule_catalog()) {
    for (const std::string_view name : {def.name, def.alias, def.epoch_name}) {
      if (name.empty()) continue;
      EXPECT_EQ(&find_schedule(std::string(name)), &def) << name;
    }
  }
}

std::string refusal(const std::string& options) {
  return usage_error([&] { RatesOf(1000, options); });
}

TEST(Schedule, TwoPeaksAreRefused) {
  EXPECT_EQ(refusal("--lr 0.1 --base-lr 0.2 --lr-batch 256"),
            "lr \"0.1\" (command line) and base-lr \"0.2\" (command line) both say what the peak "
            "is; try: only one of them");
  EXPECT_TRUE(contains(refusal("--abs-learning-rate 1 --base-learning-rate-exponent -8"),
                       "base-learning-rate-exponent"));
  EXPECT_TRUE(contains(refusal("--base-lr 1 --lr-batch 32 --base-learning-rate-exponent -8"),
                       "both say what the peak is"));
  EXPECT_TRUE(contains(refusal("--lr 1 --abs-learning-rate 2"), "same option"));
  // What says "not used" is no second peak.
  EXPECT_EQ(RatesOf(1000, "--lr 0.5 --base-lr 0 --base-learning-rate-exponent 0").peak(), 0.5);
}

// S0 means 256, S2 means 32: there is no default to guess.
TEST(Schedule, ABaseRateNeedsItsBatch) {
  EXPECT_TRUE(contains(refusal("--base_learning_rate 9.5"), "--lr-batch 256"));
  EXPECT_TRUE(contains(refusal("--base_learning_rate 9.5"), "--lr 9.5"));
  EXPECT_TRUE(contains(refusal("--lr-batch 256"), "--base-lr"));
}

TEST(Schedule, OptionsWithoutEffectAreRefused) {
  for (const char* option : {"--warmup-start 0.1", "--warmup-method constant",
                             "--warmup-kind replace", "--lr-warmup-decay 0.1"}) {
    EXPECT_TRUE(contains(refusal(option), "--warmup-epochs")) << option;
  }
  EXPECT_TRUE(contains(refusal("--warmup-epochs 2 --warmup-method constant"), "--warmup-start"));
  EXPECT_TRUE(contains(refusal("--warmup-epochs 1.5 --lr-per epoch"), "--lr-per step"));
  EXPECT_TRUE(contains(refusal("--min-lr 0.1 --min-lr-ratio 0.1"), "only one"));
  for (const char* option :
       {"--lr-schedule cosine --learning-rate-decay 0.1", "--lr-schedule constant --min-lr 0.1",
        "--lr-schedule step --lr-drops 5", "--lr-schedule stepped --lr-step-size 5",
        "--lr-schedule custom_lr --piecewise-epochs 5", "--lr-schedule cosine --k 1",
        "--lr-schedule exponential --poly-lr-decay-power 1"}) {
    EXPECT_FALSE(refusal(option).empty()) << option;
  }
}

TEST(Schedule, PiecesMustFitTogether) {
  const std::string piecewise = "--lr-schedule piecewise --piecewise-epochs ";
  EXPECT_TRUE(contains(refusal(piecewise + "30,60"), "2 piecewise-epochs and 3"));
  EXPECT_TRUE(contains(refusal(piecewise + "30,30,60"), "30 after 30"));
  EXPECT_TRUE(contains(refusal(piecewise + "30,-1,60"), "at least 0"));
  EXPECT_TRUE(contains(refusal(piecewise + "30,x,60"), "\"x\""));
}

}  // namespace
}  // namespace convoy
