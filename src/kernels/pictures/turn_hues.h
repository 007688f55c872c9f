// Rotates the hue of colours, with Pillow's conversion to HSV and back, exact to the last bit.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// Adds `shift` to the hue of each colour; a hue is a byte, and 256 is a full turn. Uses single and
// double precision where Pillow does, without fused multiply-add.
void turn_hues(int shift, int64_t n, uint8_t* red, uint8_t* green, uint8_t* blue);

}  // namespace convoy::kernels
