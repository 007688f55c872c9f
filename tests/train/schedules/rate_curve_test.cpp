#include "train/schedules/rate_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace convoy::test {
namespace {

constexpr int64_t steps = 200;
constexpr double low = 1e-6, high = 10;

// `loss(log10(lr))` at every step, until it has diverged.
template <class Loss>
RateCurve curve_of(double smooth, const Loss& loss) {
  RateCurve curve(smooth);
  for (int64_t i = 0; i < steps; ++i) {
    const double lr = growing_rate(i, steps, low, high);
    if (!curve.add(lr, loss(std::log10(lr)))) break;
  }
  return curve;
}

TEST(RateCurve, RatesGrowByAConstantFactorFromEndToEnd) {
  EXPECT_EQ(growing_rate(0, 100, 1e-6, 10), 1e-6);
  EXPECT_EQ(growing_rate(99, 100, 1e-6, 10), 10);
  for (int64_t i = 1; i < 100; ++i) {
    EXPECT_NEAR(growing_rate(i, 100, 1e-6, 10) / growing_rate(i - 1, 100, 1e-6, 10),
                std::pow(1e7, 1.0 / 99), 1e-12);
  }
}

TEST(RateCurve, TheMeanIsCorrectedForItsStart) {
  RateCurve curve(0.5);
  for (const double loss : {4.0, 2.0, 1.0}) curve.add(0.1, loss);
  EXPECT_DOUBLE_EQ(curve.rows()[0].smoothed, 4);
  EXPECT_DOUBLE_EQ(curve.rows()[1].smoothed, (0.5 * 4 + 2) / 1.5);
  EXPECT_DOUBLE_EQ(curve.rows()[2].smoothed, (0.25 * 4 + 0.5 * 2 + 1) / 1.75);
  RateCurve plain(0);
  for (const double loss : {4.0, 2.0, 5.0}) plain.add(0.1, loss);
  EXPECT_DOUBLE_EQ(plain.rows()[2].smoothed, 5);
}

// Falls around 1e-2 as a logistic curve does, and rises from 1 on.
double usual(double x) { return 1 + 1.3 / (1 + std::exp(4 * (x + 2))) + (x > 0 ? 40 * x * x : 0); }

TEST(RateCurve, TheSteepestPlaceAndTheMinimumAreFound) {
  const RateCurve curve = curve_of(0, usual);
  const auto found = curve.reading();
  ASSERT_TRUE(found);
  EXPECT_NEAR(std::log10(found->steepest), -2, 0.05);
  EXPECT_NEAR(std::log10(found->minimum), 0, 0.1);
  EXPECT_FALSE(found->ends_at_minimum);
  EXPECT_EQ(found->suggestion(), found->minimum / 10);
  EXPECT_EQ((RateCurve::Reading{0.3, 1, false}).suggestion(), 0.3);
  EXPECT_TRUE(curve.has_diverged());
  EXPECT_LT(curve.rows().size(), size_t{steps});
  // A mean comes late, but not by much.
  const auto late = curve_of(0.9, usual).reading();
  ASSERT_TRUE(late);
  EXPECT_GT(late->steepest, found->steepest);
  EXPECT_NEAR(std::log10(late->steepest), -2, 0.5);
}

TEST(RateCurve, ItEndsAboveFourTimesItsBestOrWhereThereIsNoNumber) {
  RateCurve curve(0);
  EXPECT_TRUE(curve.add(1, 2));
  EXPECT_TRUE(curve.add(2, 1));
  EXPECT_TRUE(curve.add(3, 4));
  EXPECT_FALSE(curve.add(4, 4.01));
  EXPECT_TRUE(curve.has_diverged());
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RateCurve broken(0.9);
    EXPECT_TRUE(broken.add(1, 2));
    EXPECT_FALSE(broken.add(2, bad));
    EXPECT_TRUE(std::isnan(broken.rows().back().smoothed));
    EXPECT_FALSE(broken.reading());
  }
  // What came before counts.
  const RateCurve cut = curve_of(0, [](double x) { return x > -1 ? NAN : usual(x); });
  ASSERT_TRUE(cut.reading());
  EXPECT_NEAR(std::log10(cut.reading()->steepest), -2, 0.05);
  EXPECT_TRUE(cut.reading()->ends_at_minimum);
}

TEST(RateCurve, WhereNothingFallsThereIsNoReading) {
  EXPECT_FALSE(RateCurve(0.9).reading());
  EXPECT_FALSE(curve_of(0, [](double) { return 2.3; }).reading());
  EXPECT_FALSE(curve_of(0.9, [](double x) { return 10 + x; }).reading());
  // Nor is noise a fall, however it is smoothed.
  for (const double smooth : {0.0, 0.5, 0.9, 0.98}) {
    for (uint64_t key = 0; key < 20; ++key) {
      Random random(key);
      const auto noisy = [&](double) { return 2.3 + 0.1 * random.normal(); };
      EXPECT_FALSE(curve_of(smooth, noisy).reading()) << smooth << " " << key;
      // But a fall is found in as much of it.
      const auto falls = [&](double x) { return usual(x) + 0.05 * random.normal(); };
      const auto found = curve_of(smooth, falls).reading();
      ASSERT_TRUE(found) << smooth << " " << key;
      if (smooth >= 0.9) {
        EXPECT_NEAR(std::log10(found->steepest), -1.6, 0.7) << smooth << " " << key;
      }
    }
  }
  RateCurve few(0);
  for (int i = 0; i < 5; ++i) few.add(1 + i, 5 - i);
  EXPECT_FALSE(few.reading());
}

}  // namespace
}  // namespace convoy::test
