// The circle of hues turned, with Pillow's way to HSV and back to the last bit.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// Adds `shift` to the hue of each colour, which is a byte; 256 is a full turn. Single and double
// precision where Pillow has them, no fused products.
void turn_hues(int shift, int64_t n, uint8_t* red, uint8_t* green, uint8_t* blue);

}  // namespace convoy::kernels
