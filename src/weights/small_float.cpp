#include "weights/small_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace convoy {
namespace {

struct Format {
  int mantissa_bits, exponent_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int64_t infinity() const { return ((int64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  int64_t sign() const { return int64_t{1} << (mantissa_bits + exponent_bits); }
};
constexpr double smallest_normal = 0x1p-126;
constexpr Format single{23, 8}, half{10, 5}, brain{7, 8};

double widen(int64_t bits, const Format& f) {
  const int64_t size = bits & (f.sign() - 1), hidden = int64_t{1} << f.mantissa_bits;
  const auto exponent = static_cast<int>(size >> f.mantissa_bits);
  const int64_t mantissa = size & (hidden - 1);
  double value = 0;
  if (size >= f.infinity()) {
    value = mantissa ? NAN : INFINITY;
  } else {
    value = std::ldexp(static_cast<double>(exponent ? mantissa + hidden : mantissa),
                       std::max(exponent, 1) - f.bias() - f.mantissa_bits);
  }
  return bits & f.sign() ? -value : value;
}

int64_t narrow(double value, const Format& f) {
  const int64_t sign = std::signbit(value) ? f.sign() : 0;
  if (std::isnan(value)) return sign | f.infinity() | int64_t{1} << (f.mantissa_bits - 1);
  const double size = std::fabs(value);
  if (size == 0) return sign;
  if (std::isinf(size)) return sign | f.infinity();
  // In units of the last place the rounded value is an integer. Adding it to the bits carries into
  // the exponent where needed, also from the largest finite number to infinity.
  const int exponent = std::max(std::ilogb(size), 1 - f.bias());
  if (exponent > f.bias()) return sign | f.infinity();
  const double units = std::nearbyint(std::ldexp(size, f.mantissa_bits - exponent));
  const int64_t above = static_cast<int64_t>(exponent + f.bias() - 1) << f.mantissa_bits;
  return sign | (above + static_cast<int64_t>(units));
}

}  // namespace

double load_float(DType dtype, std::span<const std::byte> data, size_t index) {
  expect(is_float(dtype), "whole numbers read as floats");
  if (dtype == DType::f32) {
    uint32_t bits = 0;
    std::memcpy(&bits, data.data() + index * sizeof bits, sizeof bits);
    // Our threads flush subnormal floats to zero, so subnormals are converted by integer
    // operations.
    if ((bits & 0x7f800000) == 0) return widen(bits, single);
    return static_cast<double>(std::bit_cast<float>(bits));
  }
  uint16_t bits = 0;
  std::memcpy(&bits, data.data() + index * sizeof bits, sizeof bits);
  return widen(bits, dtype == DType::f16 ? half : brain);
}

void store_float(DType dtype, double value, std::span<std::byte> data, size_t index) {
  expect(is_float(dtype), "whole numbers written as floats");
  if (dtype == DType::f32) {
    const auto bits = std::fabs(value) < smallest_normal
                          ? static_cast<uint32_t>(narrow(value, single))
                          : std::bit_cast<uint32_t>(static_cast<float>(value));
    std::memcpy(data.data() + index * sizeof bits, &bits, sizeof bits);
    return;
  }
  const auto bits = static_cast<uint16_t>(narrow(value, dtype == DType::f16 ? half : brain));
  std::memcpy(data.data() + index * sizeof bits, &bits, sizeof bits);
}

}  // namespace convoy
