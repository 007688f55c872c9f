#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace convoy {
namespace {

// Runs and checkpoints depend on these: they must never change.
TEST(Random, ValuesAreFixedForever) {
  EXPECT_EQ(mix(0), 0u);
  EXPECT_EQ(random_key(0, Purpose::init), 14815432490932255636u);
  EXPECT_EQ(random_key(1, Purpose::augment, 2, 3), 15078476903546538468u);
  Random random(random_key(42, Purpose::order));
  EXPECT_EQ(random.bits(), 13084826667252793150u);
  EXPECT_EQ(random.bits(), 6907063422935029177u);
  EXPECT_EQ(random.below(1000), 964u);
  EXPECT_DOUBLE_EQ(random.uniform(), 0.17484440078257468);
  EXPECT_NEAR(random.normal(), -0.75633549579912873, 1e-12);
}

TEST(Random, BitsAreThoseOfSplitMix64) {
  // The published values for the seed 1234567.
  Random random(1234567);
  for (const uint64_t want : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                              4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(random.bits(), want);
  }
}

TEST(Random, EveryPartOfAKeyMatters) {
  const uint64_t key = random_key(1, Purpose::order, 2, 3);
  EXPECT_NE(key, random_key(2, Purpose::order, 2, 3));
  EXPECT_NE(key, random_key(1, Purpose::augment, 2, 3));
  EXPECT_NE(key, random_key(1, Purpose::order, 3, 2));
  EXPECT_NE(key, random_key(1, Purpose::order, 2, 4));
}

TEST(Random, UniformFillsTheUnitInterval) {
  Random random(1);
  double sum = 0, square = 0, least = 1, most = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform();
    sum += u;
    square += u * u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_NEAR(sum / count, 0.5, 0.005);
  EXPECT_NEAR(square / count, 1.0 / 3, 0.005);
}

TEST(Random, BelowIsBelowAndEven) {
  Random random(2);
  std::array<int, 7> hits{};
  for (int i = 0; i < 70000; ++i) {
    const uint32_t n = random.below(7);
    ASSERT_LT(n, 7u);
    ++hits[n];
  }
  for (const int count : hits) EXPECT_NEAR(count, 10000, 500);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
  uint32_t most = 0;
  for (int i = 0; i < 1000; ++i) most = std::max(most, random.below(4294967295u));
  EXPECT_GT(most, 4000000000u);
}

TEST(Random, NormalHasTheMomentsOfANormal) {
  Random random(3);
  double sum = 0, square = 0, fourth = 0;
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    const double v = random.normal();
    ASSERT_TRUE(std::isfinite(v));
    sum += v;
    square += v * v;
    fourth += v * v * v * v;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(square / count, 1, 0.02);
  EXPECT_NEAR(fourth / count, 3, 0.1);
}

}  // namespace
}  // namespace convoy
