#include "kernels/pictures/sample_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/random_values.h"

namespace convoy::kernels {
namespace {

// As the header says it, a pixel at a time; every product is rounded on its own.
int plainly(const SampledPicture& from, const std::array<double, 6>& m, int64_t c, int64_t y,
            int64_t x) {
  const auto times = [](double a, double b) {
    const volatile double product = a * b;
    return product;
  };
  const double mx = static_cast<double>(x) + 0.5, my = static_cast<double>(y) + 0.5;
  const double at_x = times(m[0], mx) + times(m[1], my) + m[2];
  const double at_y = times(m[3], mx) + times(m[4], my) + m[5];
  if (at_x < 0 || at_y < 0 || at_x >= static_cast<double>(from.w) ||
      at_y >= static_cast<double>(from.h)) {
    return 0;
  }
  const double left = std::floor(at_x - 0.5), top = std::floor(at_y - 0.5);
  const double dx = at_x - 0.5 - left, dy = at_y - 0.5 - top;
  const auto pixel = [&](double row, double column) {
    const int64_t r = std::clamp(static_cast<int64_t>(row), int64_t{0}, from.h - 1);
    const int64_t k = std::clamp(static_cast<int64_t>(column), int64_t{0}, from.w - 1);
    return static_cast<double>(from.planes[(c * from.h + r) * from.w + k]);
  };
  const auto across = [&](double row) {
    return pixel(row, left) + times(pixel(row, left + 1) - pixel(row, left), dx);
  };
  return static_cast<int>(across(top) + times(across(top + 1) - across(top), dy));
}

TEST(SampleBytes, AreThePixelsOfTheFormula) {
  Random random(5);
  for (const auto& [channels, h, w] :
       {std::array<int64_t, 3>{1, 1, 1}, {3, 1, 9}, {3, 7, 1}, {1, 16, 16}, {3, 19, 33}}) {
    const auto planes = random_bytes(channels * h * w + SampledPicture::spare, random.bits());
    const SampledPicture from{planes.data(), channels, h, w};
    for (int i = 0; i < 60; ++i) {
      std::array<double, 6> m{1, 0, 0, 0, 1, 0};  // as it is, then ever stranger
      for (size_t k = 0; k < 6 && i > 0; ++k)
        m[k] += (random.uniform() - 0.5) * (k % 3 == 2 ? 9 : 2);
      if (i < 8) m = {1, i == 3 ? 0.5 : 0.0, static_cast<double>(i % 3) - 1, 0, 1, i / 3 - 1.0};
      std::vector<uint8_t> out(static_cast<size_t>(channels * h * w), 77);
      for (int64_t y = 0; y < h; ++y) sample_bilinear(from, m.data(), y, out.data() + y * w);
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t y = 0; y < h; ++y) {
          for (int64_t x = 0; x < w; ++x) {
            ASSERT_EQ(out[static_cast<size_t>((c * h + y) * w + x)], plainly(from, m, c, y, x))
                << h << "x" << w << " " << i << ": " << c << " " << y << " " << x;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace convoy::kernels
