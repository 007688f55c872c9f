// The image that the effects of policies work on: 8-bit planes one after another, of grey or of
// colour, which may be the wrong way round (--channel-order bgr).
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
  // Red, green, blue; of images that have colour.
  std::array<uint8_t*, 3> rgb() const { return {plane(bgr ? 2 : 0), plane(1), plane(bgr ? 0 : 2)}; }
};

// How bright a colour is, as Pillow's conversion to L has it.
constexpr uint8_t brightness_of(int red, int green, int blue) {
  return static_cast<uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16);
}

}  // namespace convoy::policy
