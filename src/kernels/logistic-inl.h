// 1 / (1 + exp(-x)) for every target: included once for each target, after hwy/highway.h.

#if defined(CONVOY_KERNELS_LOGISTIC_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CONVOY_KERNELS_LOGISTIC_INL_H
#undef CONVOY_KERNELS_LOGISTIC_INL_H
#else
#define CONVOY_KERNELS_LOGISTIC_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {

// Highway's Exp is correct only below 104 and turns a NaN into zero. So it gets -|x|, and the NaN
// is selected again at the end.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V logistic(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, 1.0f);
  const V small = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const V over = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), small, one);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Div(over, hn::Add(one, small)));
}

// The derivative of x * logistic(x).
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V swish_slope(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V s = logistic(d, x), one = hn::Set(d, 1.0f);
  return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
