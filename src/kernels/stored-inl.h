// Loads and stores fp32 vectors from and to memory of another storage type, for every target:
// included once for each target, after hwy/highway.h. Widening is exact; narrowing rounds to
// nearest, ties to even.

#if defined(CONVOY_KERNELS_STORED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CONVOY_KERNELS_STORED_INL_H
#undef CONVOY_KERNELS_STORED_INL_H
#else
#define CONVOY_KERNELS_STORED_INL_H
#endif

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

// The value that a later load returns after v was stored.
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V as_stored(V v, D, const float*) {
  return v;
}
template <class D, class V = hwy::HWY_NAMESPACE::Vec<D>>
HWY_INLINE V as_stored(V v, D d, const Bf16*) {
  return rounded_to_bf16(d, v);
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
