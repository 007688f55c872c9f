#include "kernels/pictures/blend_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/random_values.h"

namespace convoy::kernels {
namespace {

constexpr int64_t lengths[] = {1, 7, 8, 15, 16, 17, 63, 64, 65, 1000};

TEST(BlendBytes, OfEveryPairIsPillows) {
  for (const float factor : {-0.5f, 0.0f, 0.1f, 0.35f, 1.0f, 1.3f, 1.9f, 7.0f}) {
    for (int poorer = 0; poorer < 256; ++poorer) {
      const std::vector<uint8_t> even(256, static_cast<uint8_t>(poorer));
      std::vector<uint8_t> values(256);
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i);
      blend_bytes(even.data(), 256, factor, values.data());
      for (int i = 0; i < 256; ++i) {
        // The product is rounded before it is added.
        const volatile float product = factor * static_cast<float>(i - poorer);
        const float mixed = static_cast<float>(poorer) + product;
        const int wanted = mixed <= 0 ? 0 : mixed >= 255 ? 255 : static_cast<int>(mixed);
        ASSERT_EQ(values[static_cast<size_t>(i)], wanted) << factor << " " << poorer << " " << i;
      }
    }
  }
}

TEST(BlendBytes, WorksOnAnyNumberAndNoMore) {
  for (const int64_t n : lengths) {
    const std::vector<uint8_t> poorer = random_bytes(n + 1, 1), before = random_bytes(n + 1, 2);
    std::vector<uint8_t> one = before, all = before;
    blend_bytes(poorer.data(), n, 1.4f, all.data());
    for (int64_t i = 0; i < n; ++i) blend_bytes(poorer.data() + i, 1, 1.4f, one.data() + i);
    EXPECT_EQ(all, one) << n;
    EXPECT_EQ(all.back(), before.back());
  }
}

TEST(BrightnessBytes, AreWeightedSums) {
  for (const int64_t n : lengths) {
    const auto red = random_bytes(n, 3), green = random_bytes(n, 4), blue = random_bytes(n, 5);
    std::vector<uint8_t> out(static_cast<size_t>(n) + 1, 77);
    brightness_bytes(red.data(), green.data(), blue.data(), n, out.data());
    for (size_t i = 0; i < red.size(); ++i) {
      const int sum = red[i] * 19595 + green[i] * 38470 + blue[i] * 7471;
      ASSERT_EQ(out[i], (sum + 0x8000) / 0x10000) << i << " of " << n;
    }
    EXPECT_EQ(out.back(), 77);
  }
}

TEST(SmoothBytes, AreThirteenthsOfNinePixels) {
  for (const auto& [h, w] :
       {std::pair<int64_t, int64_t>{1, 9}, {2, 2}, {3, 3}, {4, 33}, {9, 34}, {5, 224}}) {
    std::vector<uint8_t> plane = random_bytes(h * w, 6);
    std::fill_n(plane.begin(), plane.size() / 3, uint8_t{255});  // the largest sums too
    std::vector<uint8_t> out(plane.size() + 1, 77);
    smooth_bytes(plane.data(), h, w, out.data());
    for (int64_t y = 0; y < h; ++y) {
      for (int64_t x = 0; x < w; ++x) {
        const auto at = [&](int64_t r, int64_t c) {
          return int{plane[static_cast<size_t>(r * w + c)]};
        };
        double wanted = at(y, x);
        if (y > 0 && x > 0 && y + 1 < h && x + 1 < w) {
          double sum = 4 * wanted;
          for (int64_t r = y - 1; r <= y + 1; ++r) {
            for (int64_t c = x - 1; c <= x + 1; ++c) sum += at(r, c);
          }
          wanted = std::floor(sum / 13 + 0.5);
        }
        ASSERT_EQ(out[static_cast<size_t>(y * w + x)], wanted)
            << h << "x" << w << " " << y << " " << x;
      }
    }
    EXPECT_EQ(out.back(), 77);
  }
}

}  // namespace
}  // namespace convoy::kernels
