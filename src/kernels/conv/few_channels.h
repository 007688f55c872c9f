// The weight gradient of a convolution whose input has one or two plain channels. On AVX2 oneDNN
// has only reference code for it (1773 ms of a 2200 ms step in the demonstration).
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct FewChannelsPlane {
  int64_t out_h, out_w, stride;
  int64_t row;    // floats per row of the padded image
  int64_t block;  // channels of d_y
};

// d_w[t][c] (+)= sum over pixels of image[offsets[t] + pixel] * d_y[pixel][c], for `taps` positions
// of the window. `image` is padded, so that every tap of every pixel exists.
void few_channels_grad(const FewChannelsPlane& p, const float* image, const float* d_y,
                       const int64_t* offsets, int64_t taps, bool add, float* d_w);

}  // namespace convoy::kernels
