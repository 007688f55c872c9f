// The two passes of resizing a picture: weighted sums within rows, then of rows. A pixel is four
// bytes or floats; the last one is unused.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// The most rows the first pass takes in one call, and the floats of scratch it needs per pixel.
constexpr int64_t resample_rows = 4, resample_scratch = 16;

struct ColumnTaps {
  const int32_t* first;  // pixel i of the result sums the pixels first[i] to first[i] + taps - 1
  const float* weights;  // [count][taps]
  int64_t taps, count;
};

// Sums pixels within each of `rows` rows (at most resample_rows) of `width` pixels, `stride` bytes
// apart. Row r of the result goes to out[r]: four floats per pixel. `rounded`: to whole numbers in
// 0..255, halves up.
void blend_pixels(const uint8_t* from, int64_t stride, int64_t rows, int64_t width,
                  const ColumnTaps& columns, bool rounded, float* scratch, float* const* out);

// Sums `taps` rows of `count` pixels with their weights, rounded to bytes; writes three planes.
void blend_rows(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                uint8_t* red, uint8_t* green, uint8_t* blue);
// The same, not rounded.
void blend_rows(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                float* red, float* green, float* blue);

}  // namespace convoy::kernels
