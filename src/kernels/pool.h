// Pooling over one plane of the blocked layout: rows of pixels, `block` channels each.
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct PoolPlane {
  int64_t in_h, in_w, out_h, out_w;
  int64_t size_h, size_w, stride, pad_top, pad_left;
  int64_t block;
};

// `where` gets the position of the maximum in each window (row * size_w + column), the first one on
// ties. A NaN in the window is the maximum.
void max_pool(const PoolPlane& p, const float* x, float* y, uint8_t* where);
// Overwrites all of d_x.
void max_pool_grad(const PoolPlane& p, const float* d_y, const uint8_t* where, float* d_x);

// Divides by the pixels inside the image, or by the whole window if `count_padding`.
void avg_pool(const PoolPlane& p, bool count_padding, const float* x, float* y);
void avg_pool_grad(const PoolPlane& p, bool count_padding, const float* d_y, float* d_x);

}  // namespace convoy::kernels
