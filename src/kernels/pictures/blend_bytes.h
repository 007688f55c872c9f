// Pictures of bytes between themselves and poorer ones, with Pillow's rounding to the last bit.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// How bright a colour is, as Pillow's conversion to L has it.
constexpr uint8_t brightness_of(int red, int green, int blue) {
  return static_cast<uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16);
}

// The same of n colours.
void brightness_bytes(const uint8_t* red, const uint8_t* green, const uint8_t* blue, int64_t n,
                      uint8_t* out);

// value = poorer + factor * (value - poorer) in single precision, no fused product, within 0..255
// and cut off.
void blend_bytes(const uint8_t* poorer, int64_t n, float factor, uint8_t* values);

// Each pixel of a plane with its eight neighbours, itself five times, in thirteenths, rounded;
// pixels at the edge stay as they are. `out` is not the plane itself.
void smooth_bytes(const uint8_t* plane, int64_t h, int64_t w, uint8_t* out);

}  // namespace convoy::kernels
