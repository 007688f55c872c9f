#include "kernels/pictures/turn_hues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace convoy::kernels {
namespace {

struct Hsv {
  int hue, saturation, value;
};

// Both ways round as Pillow converts, single and double precision where it has them.
Hsv to_hsv(int red, int green, int blue) {
  const int most = std::max({red, green, blue}), least = std::min({red, green, blue});
  if (most == least) return {0, 0, most};
  const auto range = static_cast<float>(most - least);
  const auto part = [&](int value) { return static_cast<float>(most - value) / range; };
  const float r = part(red), g = part(green), b = part(blue);
  float hue = 0;
  if (red == most) {
    hue = b - g;
  } else if (green == most) {
    hue = static_cast<float>(2.0 + static_cast<double>(r) - static_cast<double>(b));
  } else {
    hue = static_cast<float>(4.0 + static_cast<double>(g) - static_cast<double>(r));
  }
  hue = static_cast<float>(std::fmod(static_cast<double>(hue) / 6.0 + 1.0, 1.0));
  const float saturation = range / static_cast<float>(most);
  const auto byte = [](float x) { return static_cast<int>(static_cast<double>(x) * 255.0); };
  return {std::clamp(byte(hue), 0, 255), std::clamp(byte(saturation), 0, 255), most};
}

std::array<uint8_t, 3> to_rgb(const Hsv& colour) {
  const auto v = static_cast<uint8_t>(colour.value);
  if (colour.saturation == 0) return {v, v, v};
  const double sixths = static_cast<double>(colour.hue) * 6.0 / 255.0;
  const int sector = static_cast<int>(sixths);
  const auto rest = static_cast<double>(static_cast<float>(sixths - sector));
  const auto s = static_cast<double>(static_cast<float>(colour.saturation / 255.0));
  const auto times = [&](double x) {
    return static_cast<uint8_t>(std::clamp(std::round(colour.value * x), 0.0, 255.0));
  };
  const uint8_t p = times(1.0 - s), q = times(1.0 - s * rest), t = times(1.0 - s * (1.0 - rest));
  switch (sector % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

// All of a cube of colours, every third value and the last, and every colour of two equal parts.
std::vector<std::array<uint8_t, 3>> many_colours() {
  std::vector<std::array<uint8_t, 3>> all;
  for (int r = 0; r < 256; r += 3) {
    for (int g = 0; g < 256; g += 3) {
      for (int b = 0; b < 256; b += 3) {
        all.push_back({static_cast<uint8_t>(r), static_cast<uint8_t>(g), static_cast<uint8_t>(b)});
      }
    }
  }
  for (int x = 0; x < 256; ++x) {
    for (int y = 0; y < 256; ++y) {
      const auto a = static_cast<uint8_t>(x), b = static_cast<uint8_t>(y);
      all.push_back({a, a, b});
      all.push_back({a, b, a});
      all.push_back({b, a, a});
    }
  }
  return all;
}

TEST(TurnHues, OfManyColoursAreThoseOfTheWayThereAndBack) {
  const auto colours = many_colours();
  for (const int shift : {-127, -25, 0, 25, 76, 127}) {
    std::array<std::vector<uint8_t>, 3> planes;
    for (const auto& colour : colours) {
      for (size_t c = 0; c < 3; ++c) planes[c].push_back(colour[c]);
    }
    turn_hues(shift, static_cast<int64_t>(colours.size()), planes[0].data(), planes[1].data(),
              planes[2].data());
    for (size_t i = 0; i < colours.size(); ++i) {
      Hsv hsv = to_hsv(colours[i][0], colours[i][1], colours[i][2]);
      hsv.hue = (hsv.hue + shift) & 255;
      const std::array<uint8_t, 3> got{planes[0][i], planes[1][i], planes[2][i]};
      ASSERT_EQ(got, to_rgb(hsv)) << testing::PrintToString(colours[i]) << " by " << shift;
    }
  }
}

TEST(TurnHues, WorksOnAnyNumberAndNoMore) {
  for (const int64_t n : {1, 2, 3, 5, 7, 8, 9, 17}) {
    std::vector<uint8_t> red(20, 200), green(20, 30), blue(20, 90);
    turn_hues(50, n, red.data(), green.data(), blue.data());
    for (int64_t i = 0; i < 20; ++i) {
      const auto at = static_cast<size_t>(i);
      EXPECT_EQ(red[at] == 200 && green[at] == 30 && blue[at] == 90, i >= n) << i << " of " << n;
      if (i < n) {
        EXPECT_EQ(red[at], red[0]);
      }
    }
  }
}

}  // namespace
}  // namespace convoy::kernels
