// A picture of bytes looked at from elsewhere: moved, sheared, turned. Pillow's rounding to the
// last bit, so in double precision and without fused products.
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct SampledPicture {
  const uint8_t* planes;  // [channels][h][w], and `spare` bytes more that may be read
  int64_t channels, h, w;

  static constexpr int64_t spare = 3;
};

// Row y of the picture whose point (x, y), middles of pixels having halves, comes from
// (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]), between the four pixels around that point, cut
// off; black where it lies outside. Neighbours beyond the edge are those at the edge. `out` is the
// row of the first plane; planes lie one after another there too.
void sample_bilinear(const SampledPicture& from, const double* m, int64_t y, uint8_t* out);

}  // namespace convoy::kernels
