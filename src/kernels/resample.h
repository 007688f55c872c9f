// The two passes of resizing a picture: weighted sums of rows, then of the pixels of a row. Pixels
// are four bytes, of which the last means nothing.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// out[i] = sum over t of weights[t] * rows[t * stride + i], i in [0, n). May read up to 64 bytes
// behind a row and write as many floats behind the result.
void blend_rows(const uint8_t* rows, int64_t stride, const float* weights, int64_t taps, int64_t n,
                float* out);

// Pixel i of the result is the sum over t of weights[i * taps + t] times pixel first[i] + t of
// `row` (four floats each), rounded to a byte; its parts go to three planes.
void blend_pixels(const float* row, const int32_t* first, const float* weights, int64_t taps,
                  int64_t count, uint8_t* red, uint8_t* green, uint8_t* blue);

}  // namespace convoy::kernels
