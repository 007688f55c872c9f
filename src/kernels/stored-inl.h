// Loads and stores fp32 vectors from and to memory of another storage type, for every target:
// included once for each target, after hwy/highway.h. Widening is exact; narrowing rounds to
// nearest, ties to even.

#if defined(CONVOY_KERNELS_STORED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CONVOY_KERNELS_STORED_INL_H
#undef CONVOY_KERNELS_STORED_INL_H
#else
#define CONVOY_KERNELS_STORED_INL_H
#endif

#include "tensor/f16_overflow.h"
#include "tensor/number_types.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {

// Each value rounded to the nearest bf16, in the upper half of its 32 bits; the lower half is
// arbitrary.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE auto bf16_bits(D, V v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(bits, hn::Add(hn::Set(du, 0x7fffu), odd));
  // A NaN stays a (quiet) NaN: adding to it could carry into infinity.
  const auto nan = hn::RebindMask(du, hn::IsNaN(v));
  return hn::IfThenElse(nan, hn::Or(bits, hn::Set(du, 0x400000u)), rounded);
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V rounded_to_bf16(D d, V v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::And(bf16_bits(d, v), hn::Set(du, 0xffff0000u)));
}

// fp16 by the CPU's own conversions where the target has them (F16C, AVX-512). They keep subnormals
// whatever the thread's flush-to-zero mode is. Elsewhere three cases are computed and one is
// selected, since Highway's fallback truncates and loses infinities.
#undef CONVOY_HAS_F16C
#if HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define CONVOY_HAS_F16C 1
#else
#define CONVOY_HAS_F16C 0
#endif

// The bits of the nearest fp16, in the lower half of each 32 bits.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE auto f16_bits(D d, V v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto sign = hn::And(bits, hn::Set(du, 0x80000000u));
  const auto size = hn::Xor(bits, sign);
  // A normal number: move the exponent, round the mantissa; a carry goes into the exponent.
  const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(du, 1u));
  const auto normal = hn::ShiftRight<13>(
      hn::Add(hn::Sub(size, hn::Set(du, 112u << 23)), hn::Add(odd, hn::Set(du, 0xfffu))));
  // A subnormal: adding 0.5 puts its rounded digits at the end of the mantissa.
  const auto half = hn::Set(d, 0.5f);
  const auto subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, size), half)), hn::BitCast(du, half));
  // Infinity or NaN, from 65536 on.
  const auto special =
      hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), hn::Set(du, 0x7e00u), hn::Set(du, 0x7c00u));
  const auto magnitude = hn::BitCast(d, size);
  const auto is_small = hn::RebindMask(du, hn::Lt(magnitude, hn::Set(d, 0x1p-14f)));
  const auto is_finite = hn::RebindMask(du, hn::Lt(magnitude, hn::Set(d, 65536.0f)));
  const auto finite = hn::IfThenElse(is_small, subnormal, normal);
  return hn::Or(hn::IfThenElse(is_finite, finite, special), hn::ShiftRight<16>(sign));
}
template <class D>
HWY_INLINE auto f32_from_f16_bits(
    D d, hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::RebindToUnsigned<D>> bits) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> du;
  const auto size = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7fffu)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  const auto normal = hn::Add(size, hn::Set(du, 112u << 23));
  const auto special = hn::Add(normal, hn::Set(du, 112u << 23));
  // A subnormal is the mantissa of a number with exponent -14, without its leading one.
  const auto leading = hn::Set(du, 113u << 23);
  const auto subnormal =
      hn::BitCast(du, hn::Sub(hn::BitCast(d, hn::Add(size, leading)), hn::BitCast(d, leading)));
  const auto exponent = hn::And(size, hn::Set(du, 0x1fu << 23));
  auto all = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), subnormal, normal);
  all = hn::IfThenElse(hn::Eq(exponent, hn::Set(du, 0x1fu << 23)), special, all);
  return hn::BitCast(d, hn::Or(all, sign));
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V clamped_to_f16(D d, V v) {
  namespace hn = hwy::HWY_NAMESPACE;
  const auto limit = hn::Set(d, f16_limit);
  return hn::IfThenElse(hn::IsNaN(v), v, hn::Clamp(v, hn::Neg(limit), limit));
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE auto narrowed_f16(D d, V any) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V v = clamped_to_f16(d, any);
  const hn::Rebind<uint16_t, D> d16;
#if CONVOY_HAS_F16C
  return hn::BitCast(d16, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
#else
  const hn::RebindToSigned<D> di;
  return hn::DemoteTo(d16, hn::BitCast(di, f16_bits(d, v)));
#endif
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V load(D d, const float* from) {
  return hwy::HWY_NAMESPACE::LoadU(d, from);
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V load(D d, const Bf16* from) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> d16;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(d16, &from->bits))));
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V load(D d, const F16* from) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<uint16_t, D> d16;
#if CONVOY_HAS_F16C
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::PromoteTo(d, hn::BitCast(dh, hn::LoadU(d16, &from->bits)));
#else
  const hn::RebindToUnsigned<D> du;
  return f32_from_f16_bits(d, hn::PromoteTo(du, hn::LoadU(d16, &from->bits)));
#endif
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void store(V v, D d, float* to) {
  hwy::HWY_NAMESPACE::StoreU(v, d, to);
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void store(V v, D d, Bf16* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> d16;
  const auto upper = hn::ShiftRight<16>(bf16_bits(d, v));
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, upper)), d16, &to->bits);
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void store(V v, D d, F16* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<uint16_t, D> d16;
  hn::StoreU(narrowed_f16(d, v), d16, &to->bits);
}

// The same past the caches; `to` must be aligned to the vector as stored.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void stream(V v, D d, float* to) {
  hwy::HWY_NAMESPACE::Stream(v, d, to);
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void stream(V v, D d, Bf16* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> d16;
  const auto narrow = hn::DemoteTo(d16, hn::BitCast(di, hn::ShiftRight<16>(bf16_bits(d, v))));
  if constexpr (hn::MaxLanes(d16) >= 8) {
    hn::Stream(narrow, d16, &to->bits);
  } else {  // would write 16 bytes
    hn::StoreU(narrow, d16, &to->bits);
  }
}

template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE void stream(V v, D d, F16* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<uint16_t, D> d16;
  if constexpr (hn::MaxLanes(d16) >= 8) {
    hn::Stream(narrowed_f16(d, v), d16, &to->bits);
  } else {  // would write 16 bytes
    hn::StoreU(narrowed_f16(d, v), d16, &to->bits);
  }
}

// The value that a later load returns after v was stored.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V as_stored(V v, D, const float*) {
  return v;
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V as_stored(V v, D d, const Bf16*) {
  return rounded_to_bf16(d, v);
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V as_stored(V any, D d, const F16*) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V v = clamped_to_f16(d, any);
#if CONVOY_HAS_F16C
  return hn::PromoteTo(d, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
#else
  return f32_from_f16_bits(d, f16_bits(d, v));
#endif
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
