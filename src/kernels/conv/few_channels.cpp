#include "kernels/conv/few_channels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/few_channels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// Three taps at a time, with separate sums for even and odd columns: six chains of additions keep
// the multipliers busy. Separate variables, because gcc keeps arrays of vectors in memory.
HWY_INLINE void three_taps(const FewChannelsPlane& p, const float* a, const float* b,
                           const float* c, const float* d_y, V& sa, V& sb, V& sc) {
  const D d;
  V a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0;
  for (int64_t h = 0; h < p.out_h; ++h) {
    const int64_t row = h * p.stride * p.row;
    const float* g = d_y + h * p.out_w * p.block;
    int64_t w = 0;
    for (; w + 2 <= p.out_w; w += 2, g += 2 * p.block) {
      const int64_t x0 = row + w * p.stride, x1 = x0 + p.stride;
      const V g0 = hn::LoadU(d, g), g1 = hn::LoadU(d, g + p.block);
      a0 = hn::MulAdd(hn::Set(d, a[x0]), g0, a0);
      b0 = hn::MulAdd(hn::Set(d, b[x0]), g0, b0);
      c0 = hn::MulAdd(hn::Set(d, c[x0]), g0, c0);
      a1 = hn::MulAdd(hn::Set(d, a[x1]), g1, a1);
      b1 = hn::MulAdd(hn::Set(d, b[x1]), g1, b1);
      c1 = hn::MulAdd(hn::Set(d, c[x1]), g1, c1);
    }
    if (w < p.out_w) {
      const int64_t x0 = row + w * p.stride;
      const V g0 = hn::LoadU(d, g);
      a0 = hn::MulAdd(hn::Set(d, a[x0]), g0, a0);
      b0 = hn::MulAdd(hn::Set(d, b[x0]), g0, b0);
      c0 = hn::MulAdd(hn::Set(d, c[x0]), g0, c0);
    }
  }
  sa = hn::Add(a0, a1);
  sb = hn::Add(b0, b1);
  sc = hn::Add(c0, c1);
}

void few_channels_grad_impl(const FewChannelsPlane& p, const float* image, const float* d_y,
                            const int64_t* offsets, int64_t taps, bool add, float* d_w) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto put = [&](int64_t tap, int64_t lane, V sum) HWY_ATTR {
    float* to = d_w + tap * p.block + lane;
    hn::StoreU(add ? hn::Add(hn::LoadU(d, to), sum) : sum, d, to);
  };
  for (int64_t lane = 0; lane < p.block; lane += lanes) {
    for (int64_t t = 0; t < taps; t += 3) {
      // The last group of fewer than three taps repeats its first tap and drops the copies.
      const int64_t u = t + 1 < taps ? t + 1 : t, v = t + 2 < taps ? t + 2 : t;
      V a = hn::Zero(d), b = a, c = a;
      three_taps(p, image + offsets[t], image + offsets[u], image + offsets[v], d_y + lane, a, b,
                 c);
      put(t, lane, a);
      if (u > t) put(u, lane, b);
      if (v > t) put(v, lane, c);
    }
  }
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(few_channels_grad_impl);

void few_channels_grad(const FewChannelsPlane& p, const float* image, const float* d_y,
                       const int64_t* offsets, int64_t taps, bool add, float* d_w) {
  HWY_DYNAMIC_DISPATCH(few_channels_grad_impl)(p, image, d_y, offsets, taps, add, d_w);
}

}  // namespace convoy::kernels
#endif
