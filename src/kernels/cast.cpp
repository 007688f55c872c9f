#include "kernels/cast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cast.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using DU32 = hn::RebindToUnsigned<D>;
using DU16 = hn::Rebind<uint16_t, D>;
using DF16 = hn::Rebind<hwy::float16_t, D>;

// Runs f on whole vectors, and on a padded copy of the tail.
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

void f32_to_bf16_impl(const float* x, uint16_t* y, int64_t n) {
  convert(x, y, n, [](const float* in, uint16_t* out) HWY_ATTR {
    const D d;
    const DU32 du;
    const auto v = hn::LoadU(d, in);
    const auto bits = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
    const auto rounded = hn::Add(bits, hn::Add(hn::Set(du, 0x7fffu), odd));
    // A NaN stays a (quiet) NaN: adding to it could carry into infinity.
    const auto nan = hn::RebindMask(du, hn::IsNaN(v));
    const auto kept = hn::IfThenElse(nan, hn::Or(bits, hn::Set(du, 0x400000u)), rounded);
    hn::StoreU(
        hn::DemoteTo(DU16(), hn::BitCast(hn::RebindToSigned<DU32>(), hn::ShiftRight<16>(kept))),
        DU16(), out);
  });
}

void bf16_to_f32_impl(const uint16_t* x, float* y, int64_t n) {
  convert(x, y, n, [](const uint16_t* in, float* out) HWY_ATTR {
    const DU32 du;
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(DU16(), in)));
    hn::StoreU(hn::BitCast(D(), bits), D(), out);
  });
}

void f32_to_f16_impl(const float* x, uint16_t* y, int64_t n) {
  convert(x, y, n, [](const float* in, uint16_t* out) HWY_ATTR {
    const auto half = hn::DemoteTo(DF16(), hn::LoadU(D(), in));
    hn::StoreU(hn::BitCast(DU16(), half), DU16(), out);
  });
}

void f16_to_f32_impl(const uint16_t* x, float* y, int64_t n) {
  convert(x, y, n, [](const uint16_t* in, float* out) HWY_ATTR {
    const auto half = hn::BitCast(DF16(), hn::LoadU(DU16(), in));
    hn::StoreU(hn::PromoteTo(D(), half), D(), out);
  });
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
  HWY_DYNAMIC_DISPATCH(f32_to_bf16_impl)(x, y, n);
}
void bf16_to_f32(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(bf16_to_f32_impl)(x, y, n);
}
void f32_to_f16(const float* x, uint16_t* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f32_to_f16_impl)(x, y, n);
}
void f16_to_f32(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f16_to_f32_impl)(x, y, n);
}

}  // namespace convoy::kernels
#endif
