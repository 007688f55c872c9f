// The C++ type of each storage type, so that memory of one type is not read as another.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/shape.h"

namespace convoy {

// 16-bit floats as stored; arithmetic first converts them to fp32.
struct Bf16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

template <class T>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(T) == 0, "no storage type has elements of this type");
  return DType::f32;
}();
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<Bf16> = DType::bf16;
template <>
inline constexpr DType dtype_of<F16> = DType::f16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::s32;
template <>
inline constexpr DType dtype_of<int64_t> = DType::s64;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::u8;
template <>
inline constexpr DType dtype_of<double> = DType::f64;

// Floating-point types of 16 bits.
constexpr bool is_narrow(DType t) { return t == DType::bf16 || t == DType::f16; }

inline float widened(float x) { return x; }
inline float widened(Bf16 x) { return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16); }

inline float widened(F16 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
  const uint32_t exponent = x.bits >> 10 & 0x1fu, mantissa = x.bits & 0x3ffu;
  if (exponent == 0) {  // zero or subnormal: a number of units of 2^-24, which is normal in fp32
    const float size = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(size) | sign);
  }
  const uint32_t moved = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | moved << 23 | mantissa << 13);
}

// Rounded to nearest, ties to even; a NaN stays a quiet NaN.
inline Bf16 narrowed(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return {
      static_cast<uint16_t>(nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

// x as a number of type T, rounded so.
template <class T>
T rounded_to(float x);
template <>
inline float rounded_to(float x) {
  return x;
}
template <>
inline Bf16 rounded_to(float x) {
  return narrowed(x);
}
template <>
inline F16 rounded_to(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  uint32_t made = 0x7c00u;  // infinity: 65520 and above
  if (size > 0x7f800000u) {
    made = 0x7e00u;                 // NaN
  } else if (size < 0x38800000u) {  // below 2^-14: adding 0.5 rounds to units of 2^-24
    made = std::bit_cast<uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3f000000u;
  } else if (size < 0x47800000u) {  // a carry may go into the exponent, up to infinity
    made = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
  }
  return {static_cast<uint16_t>(sign | made)};
}

}  // namespace convoy
