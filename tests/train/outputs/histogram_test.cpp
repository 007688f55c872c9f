#include "train/outputs/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace convoy {
namespace {

// Each bucket counts what lies between its limit and the one before, by a loop over all values.
TEST(Histogram, CountsEveryFiniteValueInItsBucket) {
  std::vector<float> values{0, -0.0f, 1e-12f, -1e-12f, 1, -1, 3e38f, -3e38f, 1e-30f};
  for (int i = 1; i < 4000; ++i) values.push_back(std::sin(static_cast<float>(i * i)));
  const size_t finite = values.size();
  values.push_back(std::numeric_limits<float>::infinity());
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  const Histogram made = histogram_of(values);
  EXPECT_EQ(made.count, static_cast<int64_t>(finite));
  EXPECT_EQ(made.least, static_cast<double>(-3e38f));
  EXPECT_EQ(made.most, static_cast<double>(3e38f));
  ASSERT_EQ(made.limits.size(), made.counts.size());
  double before = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < made.limits.size(); ++i) {
    int64_t inside = 0;
    for (size_t v = 0; v < finite; ++v) {
      const auto value = static_cast<double>(values[v]);
      inside += value >= before && value < made.limits[i];
    }
    ASSERT_EQ(made.counts[i], static_cast<double>(inside)) << made.limits[i];
    ASSERT_LT(before, made.limits[i]);
    before = made.limits[i];
  }
}

TEST(Histogram, SumsAreThoseOfTheScaledValues) {
  const Histogram made = histogram_of(std::vector<float>{1, 2, -4}, 0.5);
  EXPECT_EQ(made.sum, -0.5);
  EXPECT_EQ(made.squares, 5.25);
  EXPECT_EQ(made.least, -2);
  EXPECT_EQ(made.most, 1);
  EXPECT_EQ(made.counts.front(), 0) << "an empty bucket before the first value";
  EXPECT_EQ(made.counts.back(), 1);
}

TEST(Histogram, OfNothingIsEmpty) {
  EXPECT_EQ(histogram_of({}).count, 0);
  EXPECT_TRUE(histogram_of(std::vector<float>{NAN}).limits.empty());
}

}  // namespace
}  // namespace convoy
