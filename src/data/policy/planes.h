// The image that effects of policies work on: 8-bit planes one after another, one (grey) or three
// (RGB, or BGR with --channel-order bgr). Borrows the pixels.
#pragma once

#include <array>
#include <cstdint>

namespace convoy::policy {

struct Planes {
  uint8_t* pixels = nullptr;
  int64_t channels = 0, h = 0, w = 0;
  bool bgr = false;

  int64_t area() const { return h * w; }
  int64_t count() const { return channels * area(); }
  uint8_t* plane(int64_t channel) const { return pixels + channel * area(); }
  bool has_colour() const { return channels == 3; }
  // Red, green, blue; only for images with colour.
  std::array<uint8_t*, 3> rgb() const { return {plane(bgr ? 2 : 0), plane(1), plane(bgr ? 0 : 2)}; }
};

}  // namespace convoy::policy
