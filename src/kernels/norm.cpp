#include "kernels/norm.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include "kernels/logistic-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// Rows that are summed separately before they are added to the total: long sums lose precision.
constexpr int64_t sum_rows = 32;

// Four rows at a time with one sum each, because the additions of one sum wait for each other.
template <class T>
HWY_INLINE void sums(NormPlane plane, const T* x, const T* pivot, float* sum, float* square) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = plane.block;
  for (int64_t c = 0; c < plane.block; c += lanes) {
    const V k = load(d, pivot + c);
    V s = hn::Zero(d), q = s;
    const T* row = x + c;
    for (int64_t p = 0; p < plane.pixels;) {
      V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
      V q0 = s0, q1 = s0, q2 = s0, q3 = s0;
      const int64_t stop = std::min(plane.pixels, p + sum_rows);
      for (; p + 4 <= stop; p += 4, row += 4 * step) {
        const V a = hn::Sub(load(d, row), k);
        const V b = hn::Sub(load(d, row + step), k);
        const V e = hn::Sub(load(d, row + 2 * step), k);
        const V f = hn::Sub(load(d, row + 3 * step), k);
        s0 = hn::Add(s0, a);
        s1 = hn::Add(s1, b);
        s2 = hn::Add(s2, e);
        s3 = hn::Add(s3, f);
        q0 = hn::MulAdd(a, a, q0);
        q1 = hn::MulAdd(b, b, q1);
        q2 = hn::MulAdd(e, e, q2);
        q3 = hn::MulAdd(f, f, q3);
      }
      for (; p < stop; ++p, row += step) {
        const V a = hn::Sub(load(d, row), k);
        s0 = hn::Add(s0, a);
        q0 = hn::MulAdd(a, a, q0);
      }
      s = hn::Add(s, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
      q = hn::Add(q, hn::Add(hn::Add(q0, q1), hn::Add(q2, q3)));
    }
    hn::StoreU(s, d, sum + c);
    hn::StoreU(q, d, square + c);
  }
}

// Planes are aligned to whole vectors, as non-temporal stores require.
template <class T>
HWY_INLINE void put(V v, bool streams, T* to) {
  if (streams) {
    stream(v, D(), to);
  } else {
    store(v, D(), to);
  }
}

template <NormAct act, bool add, class T>
HWY_INLINE void apply(NormPlane plane, const T* x, const T* residual, const float* scale,
                      const float* shift, T* y) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const V zero = hn::Zero(d);
  for (int64_t c = 0; c < plane.block; c += lanes) {
    const V a = hn::LoadU(d, scale + c);
    const V b = hn::LoadU(d, shift + c);
    const int64_t end = plane.pixels * plane.block;
    for (int64_t i = c; i < end; i += plane.block) {
      V v = hn::MulAdd(load(d, x + i), a, b);
      if constexpr (add) v = hn::Add(v, load(d, residual + i));
      if constexpr (act == NormAct::relu) {
        v = hn::IfThenZeroElse(hn::Lt(v, zero), v);  // not Max: a NaN stays
      }
      if constexpr (act == NormAct::swish) v = hn::Mul(v, logistic(d, v));
      put(v, plane.stream, y + i);
    }
  }
}

template <class T>
HWY_INLINE void apply_any(NormPlane plane, const T* x, const T* residual, const float* scale,
                          const float* shift, NormAct act, T* y) {
  switch (act) {
    case NormAct::none:
      return residual ? apply<NormAct::none, true>(plane, x, residual, scale, shift, y)
                      : apply<NormAct::none, false>(plane, x, residual, scale, shift, y);
    case NormAct::relu:
      return residual ? apply<NormAct::relu, true>(plane, x, residual, scale, shift, y)
                      : apply<NormAct::relu, false>(plane, x, residual, scale, shift, y);
    case NormAct::swish:
      return apply<NormAct::swish, false>(plane, x, residual, scale, shift, y);
  }
}

// Whether the mask needs x * scale + shift.
constexpr bool reads_affine(NormMask mask) {
  return mask == NormMask::recompute || mask == NormMask::swish;
}

// The gradient of row element i after the mask.
template <NormMask mask, bool two, class T>
HWY_INLINE V arriving(const NormGradPlane<T>& p, int64_t i, V x, V scale, V shift) {
  const D d;
  V g = load(d, p.d_y + i);
  if constexpr (two) g = hn::Add(g, load(d, p.d_y2 + i));
  if constexpr (mask == NormMask::recompute) {
    g = hn::IfThenElseZero(hn::Gt(hn::MulAdd(x, scale, shift), hn::Zero(d)), g);
  }
  if constexpr (mask == NormMask::swish) {
    g = hn::Mul(g, swish_slope(d, hn::MulAdd(x, scale, shift)));
  }
  if constexpr (mask == NormMask::output) {
    g = hn::IfThenElseZero(hn::Gt(load(d, p.y + i), hn::Zero(d)), g);
  }
  return g;
}

// The same; with `keep` it is stored in g, and the rounded value is returned.
template <NormMask mask, bool two, bool keep, class T>
HWY_INLINE V kept(const NormGradPlane<T>& p, int64_t i, V x, V scale, V shift, T* g) {
  const D d;
  const V arrived = arriving<mask, two>(p, i, x, scale, shift);
  if constexpr (!keep) return arrived;
  store(arrived, d, g + i);
  return as_stored(arrived, d, g);
}

template <NormMask mask, bool two, bool keep, class T>
HWY_INLINE void grad_sums(const NormGradPlane<T>& p, float* sum, float* dot, T* g) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = p.plane.block;
  const int64_t end = p.plane.pixels * step;
  for (int64_t c = 0; c < step; c += lanes) {
    const V mean = hn::LoadU(d, p.mean + c);
    const V scale = reads_affine(mask) ? hn::LoadU(d, p.scale + c) : mean;
    const V shift = reads_affine(mask) ? hn::LoadU(d, p.shift + c) : mean;
    V s = hn::Zero(d), t = s;
    for (int64_t i = c; i < end;) {
      V s0 = hn::Zero(d), s1 = s0, t0 = s0, t1 = s0;
      const int64_t stop = std::min(end, i + sum_rows * step);
      for (; i + step < stop; i += 2 * step) {
        const V x0 = load(d, p.x + i);
        const V x1 = load(d, p.x + i + step);
        const V g0 = kept<mask, two, keep>(p, i, x0, scale, shift, g);
        const V g1 = kept<mask, two, keep>(p, i + step, x1, scale, shift, g);
        s0 = hn::Add(s0, g0);
        s1 = hn::Add(s1, g1);
        t0 = hn::MulAdd(g0, hn::Sub(x0, mean), t0);
        t1 = hn::MulAdd(g1, hn::Sub(x1, mean), t1);
      }
      for (; i < stop; i += step) {
        const V x0 = load(d, p.x + i);
        const V g0 = kept<mask, two, keep>(p, i, x0, scale, shift, g);
        s0 = hn::Add(s0, g0);
        t0 = hn::MulAdd(g0, hn::Sub(x0, mean), t0);
      }
      s = hn::Add(s, hn::Add(s0, s1));
      t = hn::Add(t, hn::Add(t0, t1));
    }
    hn::StoreU(s, d, sum + c);
    hn::StoreU(t, d, dot + c);
  }
}

template <NormMask mask, bool two, class T>
HWY_INLINE void grad_apply(const NormGradPlane<T>& p, const float* pa, const float* pb,
                           const float* pc, T* d_x) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = p.plane.block;
  const int64_t end = p.plane.pixels * step;
  for (int64_t c = 0; c < step; c += lanes) {
    const V mean = hn::LoadU(d, p.mean + c);
    const V scale = reads_affine(mask) ? hn::LoadU(d, p.scale + c) : mean;
    const V shift = reads_affine(mask) ? hn::LoadU(d, p.shift + c) : mean;
    const V a = hn::LoadU(d, pa + c);
    const V b = hn::LoadU(d, pb + c);
    const V e = hn::LoadU(d, pc + c);
    for (int64_t i = c; i < end; i += step) {
      const V x = load(d, p.x + i);
      const V g = arriving<mask, two>(p, i, x, scale, shift);
      put(hn::MulAdd(a, g, hn::MulAdd(b, hn::Sub(x, mean), e)), p.plane.stream, d_x + i);
    }
  }
}

// Calls f.template operator()<mask, two>() for the values of `p`.
template <class T, class F>
HWY_INLINE void choose(const NormGradPlane<T>& p, const F& f) {
  const bool two = p.d_y2 != nullptr;
  switch (p.mask) {
    case NormMask::none:
      return two ? f.template operator()<NormMask::none, true>()
                 : f.template operator()<NormMask::none, false>();
    case NormMask::recompute:
      return two ? f.template operator()<NormMask::recompute, true>()
                 : f.template operator()<NormMask::recompute, false>();
    case NormMask::swish:
      return two ? f.template operator()<NormMask::swish, true>()
                 : f.template operator()<NormMask::swish, false>();
    case NormMask::output:
      return two ? f.template operator()<NormMask::output, true>()
                 : f.template operator()<NormMask::output, false>();
  }
}

// Structs with an operator template: a lambda would lose the target's attributes.
template <class T>
struct CallSums {
  const NormGradPlane<T>& p;
  float *sum, *dot;
  T* g;
  template <NormMask mask, bool two>
  void operator()() const {
    g ? grad_sums<mask, two, true>(p, sum, dot, g) : grad_sums<mask, two, false>(p, sum, dot, g);
  }
};
template <class T>
struct CallApply {
  const NormGradPlane<T>& p;
  const float *a, *b, *c;
  T* d_x;
  template <NormMask mask, bool two>
  void operator()() const {
    grad_apply<mask, two>(p, a, b, c, d_x);
  }
};

// One plain function for each storage type, for Highway's dispatch.
void sums_f32(NormPlane plane, const float* x, const float* pivot, float* sum, float* square) {
  sums(plane, x, pivot, sum, square);
}
void sums_bf16(NormPlane plane, const Bf16* x, const Bf16* pivot, float* sum, float* square) {
  sums(plane, x, pivot, sum, square);
}
void sums_f16(NormPlane plane, const F16* x, const F16* pivot, float* sum, float* square) {
  sums(plane, x, pivot, sum, square);
}
void apply_f32(NormPlane plane, const float* x, const float* residual, const float* scale,
               const float* shift, NormAct act, float* y) {
  apply_any(plane, x, residual, scale, shift, act, y);
}
void apply_bf16(NormPlane plane, const Bf16* x, const Bf16* residual, const float* scale,
                const float* shift, NormAct act, Bf16* y) {
  apply_any(plane, x, residual, scale, shift, act, y);
}
void apply_f16(NormPlane plane, const F16* x, const F16* residual, const float* scale,
               const float* shift, NormAct act, F16* y) {
  apply_any(plane, x, residual, scale, shift, act, y);
}
void grad_sums_f32(const NormGradPlane<float>& p, float* sum, float* dot, float* g) {
  choose(p, CallSums<float>{p, sum, dot, g});
}
void grad_sums_bf16(const NormGradPlane<Bf16>& p, float* sum, float* dot, Bf16* g) {
  choose(p, CallSums<Bf16>{p, sum, dot, g});
}
void grad_sums_f16(const NormGradPlane<F16>& p, float* sum, float* dot, F16* g) {
  choose(p, CallSums<F16>{p, sum, dot, g});
}
void grad_apply_f32(const NormGradPlane<float>& p, const float* a, const float* b, const float* c,
                    float* d_x) {
  choose(p, CallApply<float>{p, a, b, c, d_x});
}
void grad_apply_bf16(const NormGradPlane<Bf16>& p, const float* a, const float* b, const float* c,
                     Bf16* d_x) {
  choose(p, CallApply<Bf16>{p, a, b, c, d_x});
}
void grad_apply_f16(const NormGradPlane<F16>& p, const float* a, const float* b, const float* c,
                    F16* d_x) {
  choose(p, CallApply<F16>{p, a, b, c, d_x});
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(sums_f32);
HWY_EXPORT(sums_bf16);
HWY_EXPORT(sums_f16);
HWY_EXPORT(apply_f32);
HWY_EXPORT(apply_bf16);
HWY_EXPORT(apply_f16);
HWY_EXPORT(grad_sums_f32);
HWY_EXPORT(grad_sums_bf16);
HWY_EXPORT(grad_sums_f16);
HWY_EXPORT(grad_apply_f32);
HWY_EXPORT(grad_apply_bf16);
HWY_EXPORT(grad_apply_f16);

void norm_sums(NormPlane plane, const float* x, const float* pivot, float* sum, float* square) {
  HWY_DYNAMIC_DISPATCH(sums_f32)(plane, x, pivot, sum, square);
}
void norm_sums(NormPlane plane, const Bf16* x, const Bf16* pivot, float* sum, float* square) {
  HWY_DYNAMIC_DISPATCH(sums_bf16)(plane, x, pivot, sum, square);
}
void norm_sums(NormPlane plane, const F16* x, const F16* pivot, float* sum, float* square) {
  HWY_DYNAMIC_DISPATCH(sums_f16)(plane, x, pivot, sum, square);
}
void norm_apply(NormPlane plane, const float* x, const float* residual, const float* scale,
                const float* shift, NormAct act, float* y) {
  HWY_DYNAMIC_DISPATCH(apply_f32)(plane, x, residual, scale, shift, act, y);
}
void norm_apply(NormPlane plane, const Bf16* x, const Bf16* residual, const float* scale,
                const float* shift, NormAct act, Bf16* y) {
  HWY_DYNAMIC_DISPATCH(apply_bf16)(plane, x, residual, scale, shift, act, y);
}
void norm_apply(NormPlane plane, const F16* x, const F16* residual, const float* scale,
                const float* shift, NormAct act, F16* y) {
  HWY_DYNAMIC_DISPATCH(apply_f16)(plane, x, residual, scale, shift, act, y);
}
void norm_grad_sums(const NormGradPlane<float>& p, float* sum, float* dot, float* g) {
  HWY_DYNAMIC_DISPATCH(grad_sums_f32)(p, sum, dot, g);
}
void norm_grad_sums(const NormGradPlane<Bf16>& p, float* sum, float* dot, Bf16* g) {
  HWY_DYNAMIC_DISPATCH(grad_sums_bf16)(p, sum, dot, g);
}
void norm_grad_sums(const NormGradPlane<F16>& p, float* sum, float* dot, F16* g) {
  HWY_DYNAMIC_DISPATCH(grad_sums_f16)(p, sum, dot, g);
}
void norm_grad_apply(const NormGradPlane<float>& p, const float* a, const float* b, const float* c,
                     float* d_x) {
  HWY_DYNAMIC_DISPATCH(grad_apply_f32)(p, a, b, c, d_x);
}
void norm_grad_apply(const NormGradPlane<Bf16>& p, const float* a, const float* b, const float* c,
                     Bf16* d_x) {
  HWY_DYNAMIC_DISPATCH(grad_apply_bf16)(p, a, b, c, d_x);
}
void norm_grad_apply(const NormGradPlane<F16>& p, const float* a, const float* b, const float* c,
                     F16* d_x) {
  HWY_DYNAMIC_DISPATCH(grad_apply_f16)(p, a, b, c, d_x);
}

}  // namespace convoy::kernels
#endif
