#include "kernels/sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace convoy::kernels {
namespace {

std::vector<float> random_values(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(random.normal());
  return values;
}

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

TEST(Sums, SgdFollowsTheFormula) {
  for (const bool momentum : {false, true}) {
    for (const bool nesterov : {false, true}) {
      if (nesterov && !momentum) continue;
      const SgdStep step{.lr = 0.1f,
                         .grad_scale = 0.25f,
                         .momentum = 0.9f,
                         .weight_decay = 0.01f,
                         .damping = 0.2f,
                         .nesterov = nesterov};
      std::vector<float> w = random_values(37, 3), m = random_values(37, 4);
      const std::vector<float> g = random_values(37, 5), w0 = w, m0 = m;
      sgd_update(step, g.data(), momentum ? m.data() : nullptr, w.data(), 37);
      for (size_t i = 0; i < 37; ++i) {
        const double grad = g[i] * 0.25 + 0.01 * w0[i];
        const double buffer = 0.9 * m0[i] + 0.8 * grad;
        const double move = !momentum ? grad : nesterov ? grad + 0.9 * buffer : buffer;
        EXPECT_NEAR(w[i], w0[i] - 0.1 * move, 1e-6);
        EXPECT_NEAR(m[i], momentum ? buffer : m0[i], 1e-6);
      }
    }
  }
}

TEST(Sums, AMovingAverageFollowsTheFormula) {
  const std::vector<float> w = random_values(37, 6);
  std::vector<float> average = random_values(37, 7);
  const std::vector<float> before = average;
  moving_average(0.99f, w.data(), average.data(), 37);
  for (size_t i = 0; i < 37; ++i) EXPECT_NEAR(average[i], 0.99 * before[i] + 0.01 * w[i], 1e-6);
}

// Where an element lies in its piece must not matter: pieces are cut by shape.
TEST(Sums, UpdatesDoNotDependOnHowTheyAreCut) {
  const SgdStep step{.lr = 0.1f,
                     .grad_scale = 0.3f,
                     .momentum = 0.9f,
                     .weight_decay = 0.01f,
                     .damping = 0.1f,
                     .nesterov = true};
  const std::vector<float> g = random_values(100, 8);
  std::vector<float> w = random_values(100, 9), m = random_values(100, 10), e = w;
  std::vector<float> w2 = w, m2 = m, e2 = e;
  sgd_update(step, g.data(), m.data(), w.data(), 100);
  moving_average(0.9f, w.data(), e.data(), 100);
  for (size_t i = 0; i < 100; ++i) {
    sgd_update(step, g.data() + i, m2.data() + i, w2.data() + i, 1);
    moving_average(0.9f, w2.data() + i, e2.data() + i, 1);
  }
  EXPECT_EQ(w, w2);
  EXPECT_EQ(m, m2);
  EXPECT_EQ(e, e2);
}

}  // namespace
}  // namespace convoy::kernels
