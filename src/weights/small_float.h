// Converts f32, f16 and bf16 as stored in files to double, and back with a single rounding (a
// conversion through f32 would round twice).
#pragma once

#include <cstddef>
#include <span>

#include "tensor/shape.h"

namespace convoy {

inline bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16;
}

// Reads element `index` of little-endian data, aligned or not.
double load_float(DType dtype, std::span<const std::byte> data, size_t index);

// Rounds to nearest, ties to even; values that are too large become infinity.
void store_float(DType dtype, double value, std::span<std::byte> data, size_t index);

}  // namespace convoy
