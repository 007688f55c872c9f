#include "kernels/exponentials.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/exponentials.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's Exp turns a NaN into zero.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D d, V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Exp(d, x));
}

float exponentials_impl(const float* row, float top, int64_t n, float* powers) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto top_lanes = hn::Set(d, top);
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto power = exponential(d, hn::Sub(hn::LoadU(d, row + i), top_lanes));
    hn::StoreU(power, d, powers + i);
    sum = hn::Add(sum, power);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) {
    const auto power = exponential(one, hn::Set(one, row[i] - top));
    hn::StoreU(power, one, powers + i);
    total += powers[i];
  }
  return total;
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(exponentials_impl);

float exponentials(const float* row, float top, int64_t n, float* powers) {
  return HWY_DYNAMIC_DISPATCH(exponentials_impl)(row, top, n, powers);
}

}  // namespace convoy::kernels
#endif
