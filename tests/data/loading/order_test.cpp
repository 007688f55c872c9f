#include "data/loading/order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

namespace convoy {
namespace {

TEST(Order, IsAPermutationForEverySize) {
  std::vector<int64_t> sizes;
  for (int64_t n = 1; n <= 300; ++n) sizes.push_back(n);
  for (const int64_t n : {511, 512, 513, 1000, 4096, 10000, 50000, 60000, 65537})
    sizes.push_back(n);
  for (const int64_t n : sizes) {
    const Order order(n, 42, n % 5, true);
    std::vector<int> seen(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = order[i];
      ASSERT_GE(at, 0) << n;
      ASSERT_LT(at, n) << n;
      ASSERT_EQ(seen[static_cast<size_t>(at)]++, 0) << n << " at " << i;
    }
  }
}

TEST(Order, OfRunsIsAPermutationThatStaysInLongStretches) {
  for (const int64_t n : {1, 31, 32, 33, 100, 8192, 8193, 20000, 40001}) {
    for (const int64_t epoch : {0, 1}) {
      const Order order(n, 42, epoch, true, 32);
      std::vector<int> seen(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(seen.at(static_cast<size_t>(order[i]))++, 0) << n;
    }
  }
  // At any time 256 runs of 32 are read: 8192 samples in a row come from at most twice as many
  // runs and what is left over.
  const int64_t n = 1000000;
  const Order order(n, 7, 3, true, 32);
  std::set<int64_t> runs;
  for (int64_t i = 500000; i < 508192; ++i) runs.insert(order[i] / 32);
  EXPECT_LE(runs.size(), 513);
  // Those are spread over the whole set, and their samples mixed.
  EXPECT_LT(*runs.begin(), n / 32 / 20);
  EXPECT_GT(*runs.rbegin(), n / 32 * 19 / 20);
  int neighbours = 0;
  for (int64_t i = 0; i < 1000; ++i) neighbours += order[i] + 1 == order[i + 1];
  EXPECT_LT(neighbours, 20);
  // Every epoch and seed has its own.
  int same = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    same += order[i] == Order(n, 7, 4, true, 32)[i];
    same += order[i] == Order(n, 8, 3, true, 32)[i];
  }
  EXPECT_LT(same, 10);
}

TEST(Order, WorksForMoreSamplesThanAnyListCouldHold) {
  const int64_t n = (int64_t{1} << 45) + 12345;
  const Order order(n, 1, 0, true);
  int64_t high = 0;
  for (int64_t i = n - 1000; i < n; ++i) {
    ASSERT_GE(order[i], 0);
    ASSERT_LT(order[i], n);
    high += order[i] > n / 2;
  }
  EXPECT_NEAR(static_cast<double>(high), 500, 100);
}

TEST(Order, DiffersBetweenEpochsAndSeedsAndIsTheSameForTheSame) {
  const Order a(1000, 7, 3, true), same(1000, 7, 3, true), epoch(1000, 7, 4, true),
      seed(1000, 8, 3, true);
  int fixed = 0, as_epoch = 0, as_seed = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(a[i], same[i]);
    fixed += a[i] == i;
    as_epoch += a[i] == epoch[i];
    as_seed += a[i] == seed[i];
  }
  EXPECT_LT(fixed, 10);  // one is expected of each
  EXPECT_LT(as_epoch, 10);
  EXPECT_LT(as_seed, 10);
}

TEST(Order, WithoutShuffleIsTheIdentity) {
  const Order order(10, 7, 3, false);
  for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(order[i], i);
}

// Chi-squared over (place, sample), for sizes where a weak mixer would show.
TEST(Order, PutsEverySampleAtEveryPlaceAboutEquallyOften) {
  for (const int64_t n : {3, 7, 10, 33}) {
    const int epochs = 20000;
    std::vector<int> count(static_cast<size_t>(n * n));
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const Order order(n, 5, epoch, true);
      for (int64_t i = 0; i < n; ++i) ++count[static_cast<size_t>(i * n + order[i])];
    }
    const double expected = static_cast<double>(epochs) / static_cast<double>(n);
    double chi = 0;
    for (const int found : count) chi += (found - expected) * (found - expected) / expected;
    const auto freedom = static_cast<double>((n - 1) * (n - 1));
    EXPECT_LT(chi, freedom + 5 * std::sqrt(2 * freedom)) << n;
  }
}

// Neighbours in the dataset must not stay neighbours.
TEST(Order, KeepsNoNeighboursTogether) {
  const int64_t n = 60000;
  const Order order(n, 1, 0, true);
  int64_t near = 0;
  for (int64_t i = 1; i < n; ++i) near += std::abs(order[i] - order[i - 1]) <= 100;
  EXPECT_NEAR(static_cast<double>(near), 200, 60);  // 60000 * 200 / 60000
}

}  // namespace
}  // namespace convoy
