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
using DU32 = hn::RebindToUnsigned<D>;
using DU16 = hn::Rebind<uint16_t, D>;
using DI32 = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VU32 = hn::Vec<DU32>;

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

HWY_INLINE void store_lower(VU32 bits, uint16_t* out) {
  hn::StoreU(hn::DemoteTo(DU16(), hn::BitCast(DI32(), bits)), DU16(), out);
}

// Highway's own conversions to and from fp16 truncate and lose infinities on targets without F16C.
// Here three cases are computed and one is selected.
HWY_INLINE VU32 f16_from_f32(V v) {
  const D d;
  const DU32 du;
  const VU32 bits = hn::BitCast(du, v);
  const VU32 sign = hn::And(bits, hn::Set(du, 0x80000000u));
  const VU32 size = hn::Xor(bits, sign);
  // A normal number: move the exponent, round the mantissa; a carry goes into the exponent.
  const VU32 odd = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 1u));
  const VU32 normal = hn::ShiftRight<13>(
      hn::Add(hn::Sub(size, hn::Set(du, 112u << 23)), hn::Add(odd, hn::Set(du, 0xfffu))));
  // A subnormal: adding 0.5 puts its rounded digits at the end of the mantissa.
  const V half = hn::Set(d, 0.5f);
  const VU32 subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, size), half)), hn::BitCast(du, half));
  // Infinity or NaN, from 65536 on.
  const VU32 special =
      hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), hn::Set(du, 0x7e00u), hn::Set(du, 0x7c00u));
  const V magnitude = hn::BitCast(d, size);
  const auto is_small = hn::RebindMask(du, hn::Lt(magnitude, hn::Set(d, 0x1p-14f)));
  const auto is_finite = hn::RebindMask(du, hn::Lt(magnitude, hn::Set(d, 65536.0f)));
  const VU32 finite = hn::IfThenElse(is_small, subnormal, normal);
  return hn::Or(hn::IfThenElse(is_finite, finite, special), hn::ShiftRight<16>(sign));
}

HWY_INLINE V f32_from_f16(VU32 bits) {
  const D d;
  const DU32 du;
  const VU32 size = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7fffu)));
  const VU32 sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  const VU32 normal = hn::Add(size, hn::Set(du, 112u << 23));
  const VU32 special = hn::Add(normal, hn::Set(du, 112u << 23));
  // A subnormal is the mantissa of a number with exponent -14, without its leading one.
  const VU32 leading = hn::Set(du, 113u << 23);
  const VU32 subnormal =
      hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Add(size, leading)), hn::BitCast(d, leading)));
  const VU32 exponent = hn::And(size, hn::Set(du, 0x1fu << 23));
  VU32 all = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), subnormal, normal);
  all = hn::IfThenElse(hn::Eq(exponent, hn::Set(du, 0x1fu << 23)), special, all);
  return hn::BitCast(d, hn::Or(all, sign));
}

void f32_to_bf16_impl(const float* x, Bf16* y, int64_t n) {
  convert(x, y, n,
          [](const float* in, Bf16* out) HWY_ATTR { store(hn::LoadU(D(), in), D(), out); });
}

void bf16_to_f32_impl(const Bf16* x, float* y, int64_t n) {
  convert(x, y, n,
          [](const Bf16* in, float* out) HWY_ATTR { hn::StoreU(load(D(), in), D(), out); });
}

void f32_to_f16_impl(const float* x, uint16_t* y, int64_t n) {
  convert(x, y, n, [](const float* in, uint16_t* out) HWY_ATTR {
    store_lower(f16_from_f32(hn::LoadU(D(), in)), out);
  });
}

void f16_to_f32_impl(const uint16_t* x, float* y, int64_t n) {
  convert(x, y, n, [](const uint16_t* in, float* out) HWY_ATTR {
    hn::StoreU(f32_from_f16(hn::PromoteTo(DU32(), hn::LoadU(DU16(), in))), D(), out);
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
  HWY_DYNAMIC_DISPATCH(f32_to_bf16_impl)(x, reinterpret_cast<Bf16*>(y), n);
}
void bf16_to_f32(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(bf16_to_f32_impl)(reinterpret_cast<const Bf16*>(x), y, n);
}
void f32_to_f16(const float* x, uint16_t* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f32_to_f16_impl)(x, y, n);
}
void f16_to_f32(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(f16_to_f32_impl)(x, y, n);
}

}  // namespace convoy::kernels
#endif
