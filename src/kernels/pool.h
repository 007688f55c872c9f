// Pooling over one plane of the blocked layout: rows of pixels, `block` channels each. T is float
// or Bf16; sums are in fp32 and rounded once.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

struct PoolPlane {
  int64_t in_h, in_w, out_h, out_w;
  int64_t size_h, size_w, stride, pad_top, pad_left;
  int64_t block;
};

// `where` gets the position of the maximum in each window (row * size_w + column), the first one on
// ties. A NaN in the window is the maximum.
template <class T>
void max_pool(const PoolPlane& p, const T* x, T* y, uint8_t* where);
// Overwrites all of d_x.
template <class T>
void max_pool_grad(const PoolPlane& p, const T* d_y, const uint8_t* where, T* d_x);

// Divides by the pixels inside the image, or by the whole window if `count_padding`.
template <class T>
void avg_pool(const PoolPlane& p, bool count_padding, const T* x, T* y);
template <class T>
void avg_pool_grad(const PoolPlane& p, bool count_padding, const T* d_y, T* d_x);

}  // namespace convoy::kernels
