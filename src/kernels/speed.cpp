#include "kernels/speed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/speed.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double burn_fma_impl(int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  // Below one, so that the sums neither overflow nor become subnormal.
  const auto a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  auto c0 = hn::Set(d, 0.1f), c1 = hn::Set(d, 0.2f), c2 = hn::Set(d, 0.3f), c3 = hn::Set(d, 0.4f);
  auto c4 = hn::Set(d, 0.5f), c5 = hn::Set(d, 0.6f), c6 = hn::Set(d, 0.7f), c7 = hn::Set(d, 0.8f);
  auto c8 = hn::Set(d, 0.9f), c9 = hn::Set(d, 1.0f);
  for (int64_t i = 0; i < rounds; ++i) {
    c0 = hn::MulAdd(c0, a, b);
    c1 = hn::MulAdd(c1, a, b);
    c2 = hn::MulAdd(c2, a, b);
    c3 = hn::MulAdd(c3, a, b);
    c4 = hn::MulAdd(c4, a, b);
    c5 = hn::MulAdd(c5, a, b);
    c6 = hn::MulAdd(c6, a, b);
    c7 = hn::MulAdd(c7, a, b);
    c8 = hn::MulAdd(c8, a, b);
    c9 = hn::MulAdd(c9, a, b);
  }
  const auto low = hn::Add(hn::Add(hn::Add(c0, c1), hn::Add(c2, c3)), hn::Add(c4, c5));
  const auto all = hn::Add(low, hn::Add(hn::Add(c6, c7), hn::Add(c8, c9)));
  *sink = hn::GetLane(hn::SumOfLanes(d, all));
  return static_cast<double>(rounds) * 10 * 2 * static_cast<double>(hn::Lanes(d));
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(burn_fma_impl);

double burn_fma(int64_t rounds, float* sink) {
  return HWY_DYNAMIC_DISPATCH(burn_fma_impl)(rounds, sink);
}

}  // namespace convoy::kernels
#endif
