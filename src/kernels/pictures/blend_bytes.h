// Blends pictures of bytes with a degraded version (grey, blurred, ...), rounded exactly as Pillow
// does.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// The luminance of a colour, as Pillow's conversion to L computes it.
constexpr uint8_t brightness_of(int red, int green, int blue) {
  return static_cast<uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16);
}

// The same for n colours.
void brightness_bytes(const uint8_t* red, const uint8_t* green, const uint8_t* blue, int64_t n,
                      uint8_t* out);

// value = poorer + factor * (value - poorer), in single precision without fused multiply-add,
// clamped to 0..255 and truncated.
void blend_bytes(const uint8_t* poorer, int64_t n, float factor, uint8_t* values);

// Smooths a plane: each pixel with weight 5 and its eight neighbours with weight 1, divided by 13
// and rounded; pixels at the edge are copied. `out` must not be the plane itself.
void smooth_bytes(const uint8_t* plane, int64_t h, int64_t w, uint8_t* out);

}  // namespace convoy::kernels
