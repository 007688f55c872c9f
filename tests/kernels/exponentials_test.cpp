#include "kernels/exponentials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/random_values.h"

namespace convoy::kernels {
namespace {

TEST(Exponentials, AreThoseOfDouble) {
  for (const int64_t n : {1, 2, 7, 16, 81, 100}) {
    std::vector<float> row = random_values(static_cast<size_t>(n), 5);
    for (float& x : row) x *= 20;
    const float top = *std::ranges::max_element(row);
    std::vector<float> powers(row.size() + 1, -1);
    const float sum = exponentials(row.data(), top, n, powers.data());
    double total = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      const double power = std::exp(static_cast<double>(row[i]) - static_cast<double>(top));
      EXPECT_NEAR(powers[i], power, 4e-6 * power + 1e-37) << row[i] << " of " << n;
      total += power;
    }
    EXPECT_NEAR(sum, total, 4e-6 * total);
    EXPECT_EQ(powers.back(), -1);  // nothing behind the row is written
  }
}

TEST(Exponentials, WhatIsNoNumberRemainsSo) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  for (const size_t at : {0u, 17u, 18u}) {
    std::vector<float> row(19, 0.5f), powers(19);
    row[at] = nan;
    EXPECT_TRUE(std::isnan(exponentials(row.data(), 0.5f, 19, powers.data())));
    EXPECT_TRUE(std::isnan(powers[at]));
    row[at] = -inf;
    EXPECT_FLOAT_EQ(exponentials(row.data(), 0.5f, 19, powers.data()), 18);
    EXPECT_EQ(powers[at], 0);
    row[at] = inf;
    EXPECT_TRUE(std::isnan(exponentials(row.data(), inf, 19, powers.data())));
  }
}

}  // namespace
}  // namespace convoy::kernels
