// Moves, shears or turns a picture of bytes with bilinear sampling, rounded exactly as Pillow does:
// in double precision without fused multiply-add.
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct SampledPicture {
  const uint8_t* planes;  // [channels][h][w], plus `spare` readable bytes behind it
  int64_t channels, h, w;

  static constexpr int64_t spare = 3;
};

// Computes row y. The centre (x, y) of an output pixel (centres are at halves) maps to the point
// (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]) of the source, interpolated between its four
// pixels and truncated; outside the source the pixel is black, and neighbours beyond the edge
// repeat the edge. `out` is the row in the first plane of the result; planes are consecutive as in
// the source.
void sample_bilinear(const SampledPicture& from, const double* m, int64_t y, uint8_t* out);

}  // namespace convoy::kernels
