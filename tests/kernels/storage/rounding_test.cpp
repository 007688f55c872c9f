#include "kernels/storage/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "tensor/isa.h"
#include "tensor/number_types.h"

namespace convoy::kernels {
namespace {

struct Type {
  const char* name;
  void (*stochastic)(uint64_t, int64_t, float*, int64_t);
  void (*nearest)(float*, int64_t);
  float (*number)(uint16_t);
  uint16_t infinity;
};
const Type types[] = {
    {"bf16", round_stochastically_to_bf16, round_to_nearest_bf16,
     [](uint16_t bits) { return widened(Bf16{bits}); }, 0x7f80},
    {"f16", round_stochastically_to_f16, round_to_nearest_f16,
     [](uint16_t bits) { return widened(F16{bits}); }, 0x7c00},
};

std::vector<float> rounded(const Type& type, uint64_t key, std::vector<float> x,
                           int64_t first = 0) {
  type.stochastic(key, first, x.data(), static_cast<int64_t>(x.size()));
  return x;
}

TEST(Rounding, NumbersOfTheTypeStayAndSoDoInfinitiesAndNan) {
  for (const Type& type : types) {
    std::vector<float> all;
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const float x = type.number(static_cast<uint16_t>(bits));
      const bool is_subnormal = std::fpclassify(x) == FP_SUBNORMAL;  // of fp32: flushed anyway
      if (!is_subnormal) all.push_back(x);
    }
    const std::vector<float> once = rounded(type, 7, all);
    std::vector<float> nearest = all;
    type.nearest(nearest.data(), static_cast<int64_t>(nearest.size()));
    for (size_t i = 0; i < all.size(); ++i) {
      if (std::isnan(all[i])) {
        EXPECT_TRUE(std::isnan(once[i]) && std::isnan(nearest[i])) << type.name << " " << i;
      } else {
        ASSERT_EQ(once[i], all[i]) << type.name << " " << i;
        ASSERT_EQ(nearest[i], all[i]) << type.name << " " << i;
      }
    }
  }
}

// Between two neighbours the upper one comes as often as the number is near to it. With 4096 draws
// of each of 250 numbers, five deviations of the mean are a bound that a bias of a tenth of a step
// breaks.
TEST(Rounding, IsUnbiasedBetweenNeighboursOfAnySize) {
  constexpr int draws = 4096;
  for (const Type& type : types) {
    double sum = 0;
    int numbers = 0;
    for (uint32_t bits = 1; bits < type.infinity - 1u; bits += type.infinity / 250u) {
      const double low = static_cast<double>(type.number(static_cast<uint16_t>(bits)));
      const double high = static_cast<double>(type.number(static_cast<uint16_t>(bits + 1)));
      if (low < 1e-30 && type.infinity == 0x7f80) continue;  // products would be subnormal
      const double part = Random(bits).uniform();
      const auto x = static_cast<float>(low + part * (high - low));
      const double exact = (static_cast<double>(x) - low) / (high - low);
      for (const float sign : {1.0f, -1.0f}) {
        const std::vector<float> many =
            rounded(type, 100 + bits, std::vector<float>(draws, sign * x));
        int up = 0;
        for (const float one : many) {
          const double size = static_cast<double>(sign * one);
          ASSERT_TRUE(size == low || size == high) << type.name << " " << x << " -> " << one;
          up += size == high;
        }
        const double deviation = std::sqrt(exact * (1 - exact) / draws) + 1e-9;
        EXPECT_LT(std::abs(up / double(draws) - exact), 5 * deviation + 1e-3) << type.name << x;
        sum += (up / double(draws) - exact);
        ++numbers;
      }
    }
    EXPECT_LT(std::abs(sum / numbers), 5 * 0.5 / std::sqrt(double(draws) * numbers)) << type.name;
  }
}

// Neighbouring elements, steps and keys draw independently: no correlation of the directions.
TEST(Rounding, DrawsOfElementsAndKeysAreIndependent) {
  constexpr int count = 1 << 16;
  for (const Type& type : types) {
    const float low = type.number(0x3c00), high = type.number(0x3c01);
    const auto ups = [&](uint64_t key, int64_t first) {
      std::vector<float> x(count, (low + high) / 2);
      type.stochastic(key, first, x.data(), count);
      std::vector<int> up;
      for (const float one : x) up.push_back(one == high ? 1 : -1);
      return up;
    };
    const auto correlation = [](const std::vector<int>& a, const std::vector<int>& b, size_t by) {
      double sum = 0;
      for (size_t i = 0; i + by < a.size(); ++i) sum += a[i] * b[i + by];
      return std::abs(sum) / std::sqrt(double(a.size()));
    };
    const std::vector<int> one = ups(mix(1), 0), next = ups(mix(2), 0), far = ups(mix(1), count);
    for (const size_t by : {1, 2, 3, 8, 16, 64}) EXPECT_LT(correlation(one, one, by), 5) << by;
    EXPECT_LT(correlation(one, next, 0), 5);
    EXPECT_LT(correlation(one, far, 0), 5);
  }
}

TEST(Rounding, DoesNotDependOnHowAVectorIsDividedNorOnTheInstructionSet) {
  for (const Type& type : types) {
    std::vector<float> x(1000);
    Random random(3);
    for (float& v : x) v = static_cast<float>(std::exp(20 * random.uniform() - 16));
    const std::vector<float> whole = rounded(type, 11, x, 5);
    for (const int64_t cut : {1, 7, 16, 333}) {
      std::vector<float> parts = x;
      type.stochastic(11, 5, parts.data(), cut);
      type.stochastic(11, 5 + cut, parts.data() + cut, std::ssize(x) - cut);
      EXPECT_EQ(parts, whole) << type.name << " " << cut;
    }
    EXPECT_NE(rounded(type, 12, x, 5), whole);
  }
}

TEST(Rounding, NearestIsHalfwayToEvenAndBeyondTheLargestIsInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x{2049, 2051, 65504, 65519, 65520, -65520, 0x1.8p-24f, 0x1p-25f};
  round_to_nearest_f16(x.data(), std::ssize(x));
  EXPECT_EQ(x, (std::vector<float>{2048, 2052, 65504, 65504, inf, -inf, 0x1p-23f, 0}));
  for (uint32_t bits = 0; bits < 0x7bffu; ++bits) {  // the middle of every two neighbours
    const double low = static_cast<double>(widened(F16{static_cast<uint16_t>(bits)}));
    const double high = static_cast<double>(widened(F16{static_cast<uint16_t>(bits + 1)}));
    float middle = static_cast<float>((low + high) / 2);
    round_to_nearest_f16(&middle, 1);
    ASSERT_EQ(static_cast<double>(middle), bits % 2 == 0 ? low : high) << bits;
    EXPECT_EQ(rounded_to<F16>(static_cast<float>((low + high) / 2)).bits, bits + bits % 2);
  }
  std::vector<float> large(64, 65528);
  round_stochastically_to_f16(1, 0, large.data(), 64);
  for (const float one : large) EXPECT_TRUE(one == 65504 || one == inf) << one;
}

}  // namespace
}  // namespace convoy::kernels
