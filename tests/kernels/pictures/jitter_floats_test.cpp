#include "kernels/pictures/jitter_floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace convoy {
namespace {

using Colour = std::array<double, 3>;

// The saturation in HSV, then the hue by the six sectors of the circle, step by step.
Colour plainly(Colour x, double saturation, double turn) {
  const auto range_of = [&] { return std::minmax({x[0], x[1], x[2]}); };
  auto [low, high] = range_of();
  const double own = high > 0 ? (high - low) / high : 0;
  const double wanted = std::clamp(own * saturation, 0.0, 1.0) * high;
  for (double& value : x) {
    value = high == low ? high : high - (high - value) * wanted / (high - low);
  }
  const Colour before = x;
  const double most = *std::ranges::max_element(before), least = *std::ranges::min_element(before);
  if (most == least) return x;
  const double range = most - least;
  double hue = before[0] == most   ? (before[1] - before[2]) / range
               : before[1] == most ? 2 + (before[2] - before[0]) / range
                                   : 4 + (before[0] - before[1]) / range;
  hue = std::fmod(hue + turn + 12, 6);
  const int sector = static_cast<int>(hue);
  const double rest = hue - sector;
  const double middle = least + range * (sector % 2 ? 1 - rest : rest);
  constexpr int order[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
  x[static_cast<size_t>(order[sector][0])] = most;
  x[static_cast<size_t>(order[sector][1])] = middle;
  x[static_cast<size_t>(order[sector][2])] = least;
  return x;
}

TEST(JitterFloatsOp, ColoursChangeAsStepByStep) {
  for (const int64_t n : {1, 15, 16, 17, 250}) {
    for (uint64_t round = 0; round < 20; ++round) {
      Random random(mix(round * 1000 + static_cast<uint64_t>(n)));
      const auto saturation = static_cast<float>(0.5 + random.uniform());
      const auto turn = static_cast<float>(-6 + 12 * random.uniform());
      std::vector<float> planes[3];
      for (int64_t i = 0; i < n; ++i) {
        // Many equal values, some of them negative.
        for (auto& plane : planes) plane.push_back(static_cast<float>(random.below(9)) * 40 - 80);
      }
      std::vector<float> before[3] = {planes[0], planes[1], planes[2]};
      kernels::turn_and_saturate(saturation, turn, n, planes[0].data(), planes[1].data(),
                                 planes[2].data());
      for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
        const Colour wanted = plainly({before[0][i], before[1][i], before[2][i]}, saturation, turn);
        for (size_t c = 0; c < 3; ++c) {
          ASSERT_NEAR(planes[c][i], wanted[c], 2e-3)
              << before[0][i] << " " << before[1][i] << " " << before[2][i] << " by " << saturation
              << ", " << turn;
        }
      }
    }
  }
}

TEST(JitterFloatsOp, ValuesAreStretchedAroundTheirMean) {
  for (const int64_t n : {1, 16, 37, 90000}) {
    Random random(mix(static_cast<uint64_t>(n)));
    std::vector<float> values;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      values.push_back(static_cast<float>(255 * random.uniform()));
      sum += static_cast<double>(values.back());
    }
    const double mean = kernels::mean_of(values.data(), n);
    EXPECT_NEAR(mean, sum / static_cast<double>(n), 1e-9);
    std::vector<float> stretched = values;
    kernels::stretch(stretched.data(), n, 100, 1.5f, 90);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(stretched[i], (static_cast<double>(values[i]) - 100) * 1.5 + 90, 1e-4);
    }
  }
}

}  // namespace
}  // namespace convoy
