// Floats as files store them: f32, f16 and bf16 to double, and back in one rounding (a detour over
// f32 would round twice).
#pragma once

#include <cstddef>
#include <span>

#include "tensor/shape.h"

namespace convoy {

inline bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

// Element `index` of little-endian data, aligned or not.
double load_float(DType dtype, std::span<const std::byte> data, size_t index);

// To nearest, ties to even; too large becomes infinity.
void store_float(DType dtype, double value, std::span<std::byte> data, size_t index);

}  // namespace convoy
