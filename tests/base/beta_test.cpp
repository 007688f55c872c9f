#include "base/beta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace convoy {
namespace {

std::vector<double> draws(double alpha, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    Random random(random_key(7, Purpose::mixing, static_cast<uint64_t>(i)));
    values.push_back(draw_beta(random, alpha));
  }
  return values;
}

TEST(Beta, HasTheMomentsAndQuantilesOfTheDistribution) {
  struct Known {
    double alpha;
    std::vector<std::pair<double, double>> quantiles;  // share below -> value
  };
  // Of alpha 0.2 and 2 by integration; 1 is uniform.
  const std::vector<Known> all{
      {0.2, {{0.1, 0.00024776469}, {0.25, 0.0238147188}, {0.4, 0.2163418589}, {0.5, 0.5}}},
      {1, {{0.05, 0.05}, {0.25, 0.25}, {0.4, 0.4}, {0.5, 0.5}}},
      {2, {{0.05, 0.1353503621}, {0.25, 0.3263518223}, {0.4, 0.4329310771}, {0.5, 0.5}}}};
  constexpr int count = 40000;
  for (const Known& known : all) {
    const std::vector<double> values = draws(known.alpha, count);
    double sum = 0, squares = 0;
    for (const double v : values) {
      ASSERT_GE(v, 0);
      ASSERT_LE(v, 1);
      sum += v;
      squares += (v - 0.5) * (v - 0.5);
    }
    const double variance = 1 / (4 * (2 * known.alpha + 1));
    EXPECT_NEAR(sum / count, 0.5, 4 * std::sqrt(variance / count)) << known.alpha;
    EXPECT_NEAR(squares / count, variance, 0.02 * variance) << known.alpha;
    for (const auto& [share, value] : known.quantiles) {
      // On both sides: the distribution is symmetric.
      for (const bool mirrored : {false, true}) {
        const auto below = std::count_if(values.begin(), values.end(),
                                         [&](double v) { return (mirrored ? 1 - v : v) < value; });
        const double error = 4 * std::sqrt(share * (1 - share) / count);
        EXPECT_NEAR(static_cast<double>(below) / count, share, error)
            << known.alpha << " " << value;
      }
    }
  }
}

TEST(Beta, ExtremeShapesStayInside) {
  for (const double alpha : {1e-6, 1e-3, 1e3, 1e6}) {
    for (const double v : draws(alpha, 200)) {
      EXPECT_TRUE(v >= 0 && v <= 1) << alpha << " " << v;
      const double from_half = std::abs(v - 0.5);
      EXPECT_TRUE(alpha < 1 || from_half < 3 / std::sqrt(alpha)) << v;
      EXPECT_TRUE(alpha > 1e-5 || from_half > 0.5 - 1e-9) << v;
    }
  }
}

}  // namespace
}  // namespace convoy
