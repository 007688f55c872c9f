#include "kernels/sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/random_values.h"

namespace convoy::kernels {
namespace {

TEST(Sums, ATreeSumIsBalancedAndLeavesTheRowsBetweenAlone) {
  for (const int64_t count : {1, 2, 3, 4, 5, 7, 8, 13}) {
    std::vector<float> rows = random_values(static_cast<size_t>(count) * 40, 1);
    const std::vector<float> before = rows;
    tree_sum(rows.data(), 40, count, 37);
    for (size_t i = 0; i < 37; ++i) {
      // Neighbours first, then pairs of pairs, with nothing where there is no neighbour.
      std::vector<float> level;
      for (int64_t r = 0; r < count; ++r) level.push_back(before[static_cast<size_t>(r) * 40 + i]);
      while (level.size() > 1) {
        std::vector<float> next;
        for (size_t k = 0; k < level.size(); k += 2)
          next.push_back(k + 1 < level.size() ? level[k] + level[k + 1] : level[k]);
        level = next;
      }
      EXPECT_EQ(rows[i], level[0]) << count;
    }
    for (size_t i = 37; i < 40; ++i) EXPECT_EQ(rows[i], before[i]);
  }
}

TEST(Sums, FindsEveryNumberThatIsNotFinite) {
  std::vector<float> x = random_values(77, 2);
  EXPECT_TRUE(all_finite(x.data(), 77));
  x[3] = std::numeric_limits<float>::max();
  x[4] = -std::numeric_limits<float>::max();
  EXPECT_TRUE(all_finite(x.data(), 77));
  for (size_t i = 0; i < x.size(); ++i) {
    for (const float bad : {std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), std::nanf("")}) {
      std::vector<float> y = x;
      y[i] = bad;
      EXPECT_FALSE(all_finite(y.data(), 77)) << i;
    }
  }
  EXPECT_TRUE(all_finite(nullptr, 0));
}

TEST(Sums, SquaresAddUpInDoublePrecision) {
  for (const int64_t n : {0, 1, 7, 37, 1000}) {
    const std::vector<float> x = random_values(1000, 20), w = random_values(1000, 21);
    double plain = 0, decayed = 0;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      plain += std::pow(static_cast<double>(x[i]), 2);
      decayed += std::pow(static_cast<double>(x[i]) * 0.25 + 0.5 * static_cast<double>(w[i]), 2);
    }
    EXPECT_NEAR(sum_of_squares(x.data(), n), plain, 1e-9 * plain);
    EXPECT_NEAR(sum_of_squares(x.data(), 0.25f, w.data(), 0.5f, n), decayed, 1e-6 * decayed);
  }
}

}  // namespace
}  // namespace convoy::kernels
