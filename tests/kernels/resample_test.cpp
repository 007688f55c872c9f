#include "kernels/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace convoy::kernels {
namespace {

constexpr size_t behind = 64;

std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.bits());
  return bytes;
}

std::vector<float> random_weights(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> weights(count);
  for (float& w : weights) w = static_cast<float>(random.uniform() - 0.3);
  return weights;
}

TEST(Resample, RowsAreSummedByTheirWeights) {
  for (const int64_t taps : {1, 2, 3, 9}) {
    for (const int64_t n : {4, 8, 12, 60, 64, 68, 256, 1020}) {
      const int64_t stride = n + 12;
      const auto rows = random_bytes(static_cast<size_t>(taps * stride) + behind, 1);
      const auto weights = random_weights(static_cast<size_t>(taps), 2);
      std::vector<float> out(static_cast<size_t>(n) + behind, -1.0f);
      blend_rows(rows.data(), stride, weights.data(), taps, n, out.data());
      for (int64_t i = 0; i < n; ++i) {
        double want = 0, size = 0;
        for (int64_t t = 0; t < taps; ++t) {
          const double part = static_cast<double>(weights[static_cast<size_t>(t)]) *
                              rows[static_cast<size_t>(t * stride + i)];
          want += part;
          size += std::abs(part);
        }
        // An error of half a unit in the last place for each product and sum.
        const double bound = static_cast<double>(taps) * 0x1p-23 * size;
        ASSERT_NEAR(static_cast<double>(out[static_cast<size_t>(i)]), want, bound)
            << taps << " taps, " << n << " bytes, at " << i;
      }
    }
  }
}

TEST(Resample, PixelsAreSummedRoundedAndSaturated) {
  int low = 0, high = 0;
  for (const int64_t taps : {1, 2, 5, 12}) {
    for (const int64_t count : {1, 3, 15, 16, 17, 31, 224}) {
      const int64_t width = count + 20;
      Random random(random_key(3, Purpose::generated, static_cast<uint64_t>(count)));
      std::vector<float> row(static_cast<size_t>(width * 4));
      for (float& v : row) v = static_cast<float>(random.uniform() * 300 - 20);
      const auto weights = random_weights(static_cast<size_t>(count * taps), 4);
      std::vector<int32_t> first(static_cast<size_t>(count));
      for (int32_t& f : first) {
        f = static_cast<int32_t>(random.below(static_cast<uint32_t>(width - taps + 1)));
      }
      // Planes lie beside each other: a byte too many would be seen.
      std::vector<uint8_t> out(static_cast<size_t>(count * 3 + 1), 77);
      blend_pixels(row.data(), first.data(), weights.data(), taps, count, out.data(),
                   out.data() + count, out.data() + 2 * count);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t c = 0; c < 3; ++c) {
          double want = 0;
          for (int64_t t = 0; t < taps; ++t) {
            want += static_cast<double>(weights[static_cast<size_t>(i * taps + t)]) *
                    static_cast<double>(
                        row[static_cast<size_t>((first[static_cast<size_t>(i)] + t) * 4 + c)]);
          }
          low += want < 0;
          high += want > 255;
          const double got = out[static_cast<size_t>(c * count + i)];
          ASSERT_NEAR(got, std::clamp(want, 0.0, 255.0), 0.5 + 1e-3)
              << taps << " taps, pixel " << i << " of " << count;
        }
      }
      ASSERT_EQ(out.back(), 77);
    }
  }
  EXPECT_GT(low, 0);
  EXPECT_GT(high, 0);
}

}  // namespace
}  // namespace convoy::kernels
