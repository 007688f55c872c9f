#include "kernels/pictures/resample.h"

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

// The largest error that sums of `taps` products of that size can have.
double bound(int64_t taps, double size) { return static_cast<double>(taps) * 0x1p-23 * size; }

double whole(double x) { return std::clamp(std::floor(x + 0.5), 0.0, 255.0); }

TEST(Resample, PixelsOfARowAreSummedByTheirWeights) {
  for (const int64_t rows : {1, 2, 3, 4}) {
    for (const int64_t taps : {1, 2, 5, 12}) {
      for (const int64_t count : {1, 3, 17, 224}) {
        const int64_t width = count + 20, stride = width * 4 + 12;
        const auto from = random_bytes(static_cast<size_t>(rows * stride), 1);
        const auto weights = random_weights(static_cast<size_t>(count * taps), 4);
        Random random(random_key(3, Purpose::generated, static_cast<uint64_t>(count)));
        std::vector<int32_t> first(static_cast<size_t>(count));
        for (int32_t& f : first) {
          f = static_cast<int32_t>(random.below(static_cast<uint32_t>(width - taps + 1)));
        }
        std::vector<float> scratch(static_cast<size_t>(width * resample_scratch));
        for (const bool rounded : {false, true}) {
          // Rows lie beside each other: a float too many would be seen.
          std::vector<float> out(static_cast<size_t>(rows * count * 4 + 1), -1.0f);
          float* to[resample_rows];
          for (int64_t r = 0; r < rows; ++r) to[r] = out.data() + r * count * 4;
          blend_pixels(from.data(), stride, rows, width,
                       {first.data(), weights.data(), taps, count}, rounded, scratch.data(), to);
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t i = 0; i < count * 4; ++i) {
              double want = 0, size = 0;
              for (int64_t t = 0; t < taps; ++t) {
                const int64_t x = first[static_cast<size_t>(i / 4)] + t;
                const double part =
                    static_cast<double>(weights[static_cast<size_t>(i / 4 * taps + t)]) *
                    from[static_cast<size_t>(r * stride + x * 4 + i % 4)];
                want += part;
                size += std::abs(part);
              }
              const auto got = static_cast<double>(to[r][i]);
              if (rounded) {
                ASSERT_TRUE(got == whole(want) ||
                            std::abs(want + 0.5 - std::round(want + 0.5)) < 1e-3);
                ASSERT_NEAR(got, std::clamp(want, 0.0, 255.0), 0.5 + 1e-3);
              } else {
                ASSERT_NEAR(got, want, bound(taps, size)) << taps << " taps, row " << r;
              }
            }
          }
          ASSERT_EQ(out.back(), -1.0f);
        }
      }
    }
  }
}

TEST(Resample, RowsAreSummedRoundedAndSaturated) {
  int low = 0, high = 0;
  for (const int64_t taps : {1, 2, 5, 12}) {
    for (const int64_t count : {1, 3, 15, 16, 17, 31, 224}) {
      Random random(random_key(3, Purpose::generated, static_cast<uint64_t>(count)));
      std::vector<float> rows(static_cast<size_t>(taps * count * 4) + behind);
      for (float& v : rows) v = static_cast<float>(random.uniform() * 300 - 20);
      std::vector<const float*> from;
      for (int64_t t = 0; t < taps; ++t) from.push_back(rows.data() + t * count * 4);
      const auto weights = random_weights(static_cast<size_t>(taps), 4);
      // Planes lie beside each other: a byte too many would be seen.
      std::vector<uint8_t> out(static_cast<size_t>(count * 3 + 1), 77);
      blend_rows(from.data(), weights.data(), taps, count, out.data(), out.data() + count,
                 out.data() + 2 * count);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t c = 0; c < 3; ++c) {
          double want = 0;
          for (int64_t t = 0; t < taps; ++t) {
            want += static_cast<double>(weights[static_cast<size_t>(t)]) *
                    static_cast<double>(from[static_cast<size_t>(t)][i * 4 + c]);
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
