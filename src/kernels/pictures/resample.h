// The two passes of resizing a picture: weighted sums of the pixels of a row, then of rows. Pixels
// are four bytes or floats, of which the last means nothing.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// The most rows that the first pass takes at once, and the floats of scratch it needs for a pixel.
constexpr int64_t resample_rows = 4, resample_scratch = 16;

struct ColumnTaps {
  const int32_t* first;  // pixel i of the result sums the pixels first[i] to first[i] + taps - 1
  const float* weights;  // [count][taps]
  int64_t taps, count;
};

// Sums pixels within each of `rows` rows of `width` pixels, `stride` bytes apart, at most
// resample_rows of them. Row r of the result goes to out[r]: four floats for each pixel. `rounded`:
// to whole numbers in 0..255, halves up.
void blend_pixels(const uint8_t* from, int64_t stride, int64_t rows, int64_t width,
                  const ColumnTaps& columns, bool rounded, float* scratch, float* const* out);

// Sums `taps` rows of `count` pixels by their weights, rounded to bytes; parts go to three planes.
void blend_rows(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                uint8_t* red, uint8_t* green, uint8_t* blue);

}  // namespace convoy::kernels
