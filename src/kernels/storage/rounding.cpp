#include "kernels/storage/rounding.h"

#include <algorithm>

#include "kernels/cast.h"
#include "tensor/f16_overflow.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/storage/rounding.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// Calls f(tag, address, index) for each vector; the tail is rounded in a padded copy, because in
// Highway 1.0 a shift of a single lane by a vector also reads the lanes beside it.
template <class F>
HWY_INLINE void each_vector(float* x, int64_t n, const F& f) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(d, x + i, i);
  if (i == n) return;
  HWY_ALIGN float tail[hn::MaxLanes(D())] = {};
  for (int64_t k = i; k < n; ++k) tail[k - i] = x[k];
  f(d, tail, i);
  for (int64_t k = i; k < n; ++k) x[k] = tail[k - i];
}

template <class DU>
HWY_INLINE hn::Vec<DU> of(DU du, uint32_t bits) {
  return hn::Set(du, bits);
}

// 32 random bits for each of the elements from `index` on: three rounds of a multiplicative mixer.
template <class DU>
HWY_INLINE hn::Vec<DU> random_bits(DU du, uint64_t key, int64_t index) {
  const auto low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  auto h = hn::Iota(du, static_cast<uint32_t>(index));
  h = hn::Add(hn::Mul(h, of(du, 0x9e3779b9u)), of(du, low));
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<16>(h)), of(du, 0x85ebca6bu));
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<13>(h)), of(du, 0xc2b2ae35u));
  h = hn::Add(hn::Xor(h, hn::ShiftRight<16>(h)), of(du, high));
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<15>(h)), of(du, 0x2c1b3c6du));
  h = hn::Mul(hn::Xor(h, hn::ShiftRight<12>(h)), of(du, 0x297a2d39u));
  return hn::Xor(h, hn::ShiftRight<15>(h));
}

void to_bf16_impl(uint64_t key, int64_t first, float* x, int64_t n) {
  each_vector(x, n, [&](D d, float* at, int64_t i) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto v = hn::LoadU(d, at);
    const auto bits = hn::BitCast(du, v);
    const auto added = hn::Add(bits, hn::And(random_bits(du, key, first + i), of(du, 0xffffu)));
    const auto rounded = hn::And(added, of(du, 0xffff0000u));
    const auto finite = hn::RebindMask(
        du, hn::Lt(hn::Abs(v), hn::BitCast(d, of(du, 0x7f800000u))));  // false for NaN
    hn::StoreU(hn::BitCast(d, hn::IfThenElse(finite, rounded, bits)), d, at);
  });
}

// The number of bits below the last one that fp16 keeps is 13, and one more for each step below the
// exponent of its smallest normal number.
void to_f16_impl(uint64_t key, int64_t first, float* x, int64_t n) {
  each_vector(x, n, [&](D d, float* at, int64_t i) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto v = hn::LoadU(d, at);
    const auto bits = hn::BitCast(du, v), sign = hn::And(bits, of(du, 0x80000000u));
    const auto size = hn::Xor(bits, sign);
    const auto random = random_bits(du, key, first + i);
    const auto normal =
        hn::And(hn::Add(size, hn::And(random, of(du, 0x1fffu))), of(du, 0xffffe000u));
    // A subnormal in units of 2^-24, the last digit of fp16.
    const auto exponent = hn::ShiftRight<23>(size);
    const auto mantissa = hn::Or(hn::And(size, of(du, 0x7fffffu)), of(du, 0x800000u));
    const auto below = hn::Min(hn::Sub(of(du, 126u), hn::Min(exponent, of(du, 126u))), of(du, 31u));
    const auto mask = hn::Sub(hn::Shl(of(du, 1u), below), of(du, 1u));
    const auto units = hn::Shr(hn::Add(mantissa, hn::And(random, mask)), below);
    const hn::RebindToSigned<decltype(d)> di;
    const auto small =
        hn::BitCast(du, hn::Mul(hn::ConvertTo(d, hn::BitCast(di, units)), hn::Set(d, 0x1p-24f)));
    // Numbers below 2^-32 are less than a hundredth of a unit.
    const auto tiny = hn::Lt(exponent, of(du, 95u));
    auto result = hn::IfThenElse(hn::Lt(exponent, of(du, 113u)), small, normal);
    result = hn::IfThenElse(tiny, hn::Zero(du), result);
    result = hn::IfThenElse(hn::Gt(result, of(du, 0x477fe000u)),
                            hn::BitCast(du, hn::Set(d, f16_limit)), result);
    result = hn::Or(result, sign);
    const auto finite = hn::RebindMask(
        du, hn::Lt(hn::Abs(v), hn::BitCast(d, of(du, 0x7f800000u))));  // false for NaN
    hn::StoreU(hn::BitCast(d, hn::IfThenElse(finite, result, bits)), d, at);
  });
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(to_bf16_impl);
HWY_EXPORT(to_f16_impl);

void round_stochastically_to_bf16(uint64_t key, int64_t first, float* x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(to_bf16_impl)(key, first, x, n);
}
void round_stochastically_to_f16(uint64_t key, int64_t first, float* x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(to_f16_impl)(key, first, x, n);
}

namespace {

template <class Narrow, class Widen>
void round_to_nearest(float* x, int64_t n, Narrow narrow, Widen widen) {
  uint16_t piece[1024];
  for (int64_t at = 0; at < n; at += 1024) {
    const int64_t count = std::min<int64_t>(1024, n - at);
    narrow(x + at, piece, count);
    widen(piece, x + at, count);
  }
}

}  // namespace

void round_to_nearest_bf16(float* x, int64_t n) {
  round_to_nearest(x, n, f32_to_bf16, bf16_to_f32);
}
void round_to_nearest_f16(float* x, int64_t n) { round_to_nearest(x, n, f32_to_f16, f16_to_f32); }

}  // namespace convoy::kernels
#endif
