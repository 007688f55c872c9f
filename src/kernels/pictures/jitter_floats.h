// Changes of colour of images of floats, as TensorFlow's adjust_contrast, adjust_saturation and
// adjust_hue make them. Values may leave the range of pixels; nothing is clamped or rounded.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// The mean of n values, summed in double precision in an order that depends on n alone.
double mean_of(const float* values, int64_t n);

// values = (value - middle) * factor + target
void stretch(float* values, int64_t n, float middle, float factor, float target);

// Multiplies the saturation of n colours by `saturation` (in HSV, at most 1 afterwards; a colour
// whose largest value is 0 or less becomes grey), then turns their hues by `turn` sixths of the
// circle, in [-6, 6]; the largest and smallest value of each colour stay as they are.
void turn_and_saturate(float saturation, float turn, int64_t n, float* red, float* green,
                       float* blue);

}  // namespace convoy::kernels
