// The passes of batch and group norm over one plane of the blocked layout: `pixels` rows of
// `block` channels. Vectors named per channel hold `block` floats; sums are of this plane alone.
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct NormPlane {
  int64_t pixels;
  int64_t block;
  // The results go past the caches: they belong to more than the caches hold.
  bool stream = false;
};

// sum[c] = sum (x - shift[c]), square[c] = sum (x - shift[c])^2.
void norm_sums(NormPlane plane, const float* x, const float* shift, float* sum, float* square);

// What follows the norm in the same pass.
enum class NormAct { none, relu, swish };

// y = act(x * scale + shift (+ residual)). `residual` may be null; y may be x. No residual for
// swish.
void norm_apply(NormPlane plane, const float* x, const float* residual, const float* scale,
                const float* shift, NormAct act, float* y);

// How the gradient passes know what the activation let through.
enum class NormMask {
  none,       // there was none
  recompute,  // ReLU: x * scale + shift > 0
  output,     // ReLU: y > 0
  swish,      // its slope at x * scale + shift
};

struct NormGradPlane {
  NormPlane plane;
  NormMask mask;
  const float* x;
  const float* y;  // NormMask::output
  const float* d_y;
  const float* d_y2;  // null, or a second gradient to be added to the first
  const float* mean;
  const float* scale;  // NormMask::recompute and swish
  const float* shift;
};

// g = (d_y + d_y2) behind the activation; sum[c] = sum g, dot[c] = sum g * (x - mean[c]). `g` is
// kept if not null.
void norm_grad_sums(const NormGradPlane& p, float* sum, float* dot, float* g);

// d_x = a * g + b * (x - mean) + c.
void norm_grad_apply(const NormGradPlane& p, const float* a, const float* b, const float* c,
                     float* d_x);

}  // namespace convoy::kernels
