// The passes of batch and group norm over one plane of the blocked layout: `pixels` rows of
// `block` channels. Vectors named per channel hold `block` floats; sums are of this plane alone.
// T is how images are stored, float or Bf16; they are widened and rounded on the way, arithmetic is
// in fp32.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

struct NormPlane {
  int64_t pixels;
  int64_t block;
  // The results go past the caches: they belong to more than the caches hold. Of fp32 alone.
  bool stream = false;
};

// sum[c] = sum (x - shift[c]), square[c] = sum (x - shift[c])^2.
void norm_sums(NormPlane plane, const float* x, const float* shift, float* sum, float* square);
void norm_sums(NormPlane plane, const Bf16* x, const Bf16* shift, float* sum, float* square);

// What follows the norm in the same pass.
enum class NormAct { none, relu, swish };

// y = act(x * scale + shift (+ residual)). `residual` may be null; y may be x. No residual for
// swish.
void norm_apply(NormPlane plane, const float* x, const float* residual, const float* scale,
                const float* shift, NormAct act, float* y);
void norm_apply(NormPlane plane, const Bf16* x, const Bf16* residual, const float* scale,
                const float* shift, NormAct act, Bf16* y);

// How the gradient passes know what the activation let through.
enum class NormMask {
  none,       // there was none
  recompute,  // ReLU: x * scale + shift > 0
  output,     // ReLU: y > 0
  swish,      // its slope at x * scale + shift
};

template <class T>
struct StoredGradPlane {
  NormPlane plane;
  NormMask mask;
  const T* x;
  const T* y;  // NormMask::output
  const T* d_y;
  const T* d_y2;  // null, or a second gradient to be added to the first
  const float* mean;
  const float* scale;  // NormMask::recompute and swish
  const float* shift;
};
using NormGradPlane = StoredGradPlane<float>;

// g = (d_y + d_y2) behind the activation; sum[c] = sum g, dot[c] = sum g * (x - mean[c]). `g` is
// kept if not null; the sums are of what was kept, rounded.
void norm_grad_sums(const StoredGradPlane<float>& p, float* sum, float* dot, float* g);
void norm_grad_sums(const StoredGradPlane<Bf16>& p, float* sum, float* dot, Bf16* g);

// d_x = a * g + b * (x - mean) + c.
void norm_grad_apply(const StoredGradPlane<float>& p, const float* a, const float* b,
                     const float* c, float* d_x);
void norm_grad_apply(const StoredGradPlane<Bf16>& p, const float* a, const float* b, const float* c,
                     Bf16* d_x);

}  // namespace convoy::kernels
