// The passes of batch and group norm over one plane of the blocked layout: `pixels` rows of `block`
// channels. Per-channel vectors have `block` floats; sums are of this plane alone. T is the storage
// type of images, float or Bf16; arithmetic is in fp32, results are rounded to T.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

struct NormPlane {
  int64_t pixels;
  int64_t block;
  // Write results with non-temporal stores: the whole value is larger than the caches.
  bool stream = false;
};

// sum[c] = sum (x - pivot[c]), square[c] = sum (x - pivot[c])^2. `pivot` is one pixel of x, which
// is subtracted so that a large mean loses no precision.
void norm_sums(NormPlane plane, const float* x, const float* pivot, float* sum, float* square);
void norm_sums(NormPlane plane, const Bf16* x, const Bf16* pivot, float* sum, float* square);
void norm_sums(NormPlane plane, const F16* x, const F16* pivot, float* sum, float* square);

// The activation after the norm, in the same pass.
enum class NormAct { none, relu, swish };

// y = act(x * scale + shift (+ residual)). `residual` may be null; y may be x. No residual for
// swish.
void norm_apply(NormPlane plane, const float* x, const float* residual, const float* scale,
                const float* shift, NormAct act, float* y);
void norm_apply(NormPlane plane, const Bf16* x, const Bf16* residual, const float* scale,
                const float* shift, NormAct act, Bf16* y);
void norm_apply(NormPlane plane, const F16* x, const F16* residual, const float* scale,
                const float* shift, NormAct act, F16* y);

// How the gradient passes compute the derivative of the activation.
enum class NormMask {
  none,       // no activation
  recompute,  // ReLU: x * scale + shift > 0
  output,     // ReLU: y > 0
  swish,      // swish: its derivative at x * scale + shift
};

template <class T>
struct NormGradPlane {
  NormPlane plane;
  NormMask mask;
  const T* x;
  const T* y;  // NormMask::output
  const T* d_y;
  const T* d_y2;  // null, or a second gradient that is added to the first
  const float* mean;
  const float* scale;  // NormMask::recompute and swish
  const float* shift;
};

// g = (d_y + d_y2) * derivative of the activation; sum[c] = sum g, dot[c] = sum g * (x - mean[c]).
// Stores g in `g` if not null; the sums are then of the stored, rounded values.
void norm_grad_sums(const NormGradPlane<float>& p, float* sum, float* dot, float* g);
void norm_grad_sums(const NormGradPlane<Bf16>& p, float* sum, float* dot, Bf16* g);
void norm_grad_sums(const NormGradPlane<F16>& p, float* sum, float* dot, F16* g);

// d_x = a * g + b * (x - mean) + c.
void norm_grad_apply(const NormGradPlane<float>& p, const float* a, const float* b, const float* c,
                     float* d_x);
void norm_grad_apply(const NormGradPlane<Bf16>& p, const float* a, const float* b, const float* c,
                     Bf16* d_x);
void norm_grad_apply(const NormGradPlane<F16>& p, const float* a, const float* b, const float* c,
                     F16* d_x);

}  // namespace convoy::kernels
