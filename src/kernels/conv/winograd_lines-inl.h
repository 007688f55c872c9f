// Winograd's transforms along one dimension, for every target: included once for each target, after
// hwy/highway.h.

#if defined(CONVOY_KERNELS_WINOGRAD_LINES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CONVOY_KERNELS_WINOGRAD_LINES_INL_H
#undef CONVOY_KERNELS_WINOGRAD_LINES_INL_H
#else
#define CONVOY_KERNELS_WINOGRAD_LINES_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

HWY_INLINE V times(float f, V v) { return hn::Mul(hn::Set(D(), f), v); }
HWY_INLINE V fma(float f, V v, V to) { return hn::MulAdd(hn::Set(D(), f), v, to); }

// The transforms along one dimension. `get` and `put` access the elements, so that the same code
// serves rows and columns. Separate variables, because gcc keeps arrays of vectors in memory.
template <int tile>
struct LineTransform;

template <>
struct LineTransform<4> {
  template <class Get, class Put>
  static HWY_INLINE void input(const Get& get, const Put& put) {
    const V d0 = get(0), d1 = get(1), d2 = get(2), d3 = get(3), d4 = get(4), d5 = get(5);
    const V a = fma(-4, d2, d4), b = fma(-4, d1, d3);  // d4 - 4 d2, d3 - 4 d1
    const V c = hn::Sub(d4, d2), e = times(2, hn::Sub(d3, d1));
    put(0, fma(4, d0, fma(-5, d2, d4)));
    put(1, hn::Add(a, b));
    put(2, hn::Sub(a, b));
    put(3, hn::Add(c, e));
    put(4, hn::Sub(c, e));
    put(5, fma(4, d1, fma(-5, d3, d5)));
  }
  template <class Get, class Put>
  static HWY_INLINE void output(const Get& get, const Put& put) {
    const V m0 = get(0), m1 = get(1), m2 = get(2), m3 = get(3), m4 = get(4), m5 = get(5);
    const V s = hn::Add(m1, m2), d = hn::Sub(m1, m2), t = hn::Add(m3, m4), e = hn::Sub(m3, m4);
    put(0, hn::Add(m0, hn::Add(s, t)));
    put(1, fma(2, e, d));
    put(2, fma(4, t, s));
    put(3, hn::Add(fma(8, e, d), m5));
  }
  template <class Get, class Put>
  static HWY_INLINE void output_grad(const Get& get, const Put& put) {
    const V y0 = get(0), y1 = get(1), y2 = get(2), y3 = get(3);
    const V even = hn::Add(y0, y2), odd = hn::Add(y1, y3);
    const V far_even = fma(4, y2, y0), far_odd = fma(8, y3, times(2, y1));
    put(0, y0);
    put(1, hn::Add(even, odd));
    put(2, hn::Sub(even, odd));
    put(3, hn::Add(far_even, far_odd));
    put(4, hn::Sub(far_even, far_odd));
    put(5, y3);
  }
  template <class Get, class Put>
  static HWY_INLINE void weights(const Get& get, const Put& put) {
    const V g0 = get(0), g1 = get(1), g2 = get(2);
    const V s = times(-1.0f / 6, hn::Add(g0, g2)), t = times(1.0f / 6, g1);
    const V a = fma(1.0f / 24, g0, times(1.0f / 6, g2)), b = times(1.0f / 12, g1);
    put(0, times(0.25f, g0));
    put(1, hn::Sub(s, t));
    put(2, hn::Add(s, t));
    put(3, hn::Add(a, b));
    put(4, hn::Sub(a, b));
    put(5, g2);
  }
  template <class Get, class Put>
  static HWY_INLINE void weights_grad(const Get& get, const Put& put) {
    const V u0 = get(0), u1 = get(1), u2 = get(2), u3 = get(3), u4 = get(4), u5 = get(5);
    const V near = hn::Add(u1, u2), far = hn::Add(u3, u4);
    put(0, fma(0.25f, u0, fma(1.0f / 24, far, times(-1.0f / 6, near))));
    put(1, fma(1.0f / 6, hn::Sub(u2, u1), times(1.0f / 12, hn::Sub(u3, u4))));
    put(2, fma(1.0f / 6, hn::Sub(far, near), u5));
  }
};

template <>
struct LineTransform<2> {
  template <class Get, class Put>
  static HWY_INLINE void input(const Get& get, const Put& put) {
    const V d0 = get(0), d1 = get(1), d2 = get(2), d3 = get(3);
    put(0, hn::Sub(d0, d2));
    put(1, hn::Add(d1, d2));
    put(2, hn::Sub(d2, d1));
    put(3, hn::Sub(d1, d3));
  }
  template <class Get, class Put>
  static HWY_INLINE void output(const Get& get, const Put& put) {
    const V m0 = get(0), m1 = get(1), m2 = get(2), m3 = get(3);
    put(0, hn::Add(m0, hn::Add(m1, m2)));
    put(1, hn::Sub(hn::Sub(m1, m2), m3));
  }
  template <class Get, class Put>
  static HWY_INLINE void output_grad(const Get& get, const Put& put) {
    const V y0 = get(0), y1 = get(1);
    put(0, y0);
    put(1, hn::Add(y0, y1));
    put(2, hn::Sub(y0, y1));
    put(3, hn::Neg(y1));
  }
  template <class Get, class Put>
  static HWY_INLINE void weights(const Get& get, const Put& put) {
    const V g0 = get(0), g1 = get(1), g2 = get(2), s = hn::Add(g0, g2);
    put(0, g0);
    put(1, times(0.5f, hn::Add(s, g1)));
    put(2, times(0.5f, hn::Sub(s, g1)));
    put(3, g2);
  }
  template <class Get, class Put>
  static HWY_INLINE void weights_grad(const Get& get, const Put& put) {
    const V u0 = get(0), u1 = get(1), u2 = get(2), u3 = get(3), s = hn::Add(u1, u2);
    put(0, fma(0.5f, s, u0));
    put(1, times(0.5f, hn::Sub(u1, u2)));
    put(2, fma(0.5f, s, u3));
  }
};

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
