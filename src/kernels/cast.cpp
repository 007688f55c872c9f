#include "kernels/cast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cast.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;

// Applies f to whole vectors, and to a padded copy of the tail.
template <class In, class Out, class F>
HWY_INLINE void convert(const In* x, Out* y, int64_t n, const F& f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(x + i, y + i);
  if (i == n) return;
  In in[16] = {};
  Out out[16] = {};
  for (int64_t k = i; k < n; ++k) in[k - i] = x[k];
  f(in, out);
  for (int64_t k = i; k < n; ++k) y[k] = out[k - i];
}

void f32_to_bf16_impl(const float* x, Bf16* y, int64_t n) {
  convert(x, y, n,
          [](const float* in, Bf16* out) HWY_ATTR { store(hn::LoadU(D(), in), D(), out); });
}

void bf16_to_f32_impl(const Bf16* x, float* y, int64_t n) {
  convert(x, y, n,
          [](const Bf16* in, float* out) HWY_ATTR { hn::StoreU(load(D(), in), D(), out); });
}

void f32_to_f16_impl(const float* x, F16* y, int64_t n) {
  convert(x, y, n, [](const float* in, F16* out) HWY_ATTR { store(hn::LoadU(D(), in), D(), out); });
}

void f16_to_f32_impl(const F16* x, float* y, int64_t n) {
  convert(x, y, n, [](const F16* in, float* out) HWY_ATTR { hn::StoreU(load(D(), in), D(), out); });
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(f32_to_bf16_impl);
HWY_EXPORT(bf16_to_f32_impl);
HWY_EXPORT(f32_to_f16_impl);
HWY_EXPORT(f16_to_f32_impl);

void f32_to_bf16(const float* x, uint16_t* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f32_to_bf16_impl)(x, reinterpret_cast<Bf16*>(y), n);
}
void bf16_to_f32(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(bf16_to_f32_impl)(reinterpret_cast<const Bf16*>(x), y, n);
}
void f32_to_f16(const float* x, uint16_t* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f32_to_f16_impl)(x, reinterpret_cast<F16*>(y), n);
}
void f16_to_f32(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f16_to_f32_impl)(reinterpret_cast<const F16*>(x), y, n);
}

}  // namespace convoy::kernels
#endif
