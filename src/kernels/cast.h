// Conversions between fp32 and the 16-bit storage types, rounding to nearest even.
#pragma once

#include <cstdint>

namespace convoy::kernels {

void f32_to_bf16(const float* x, uint16_t* y, int64_t n);
void bf16_to_f32(const uint16_t* x, float* y, int64_t n);
void f32_to_f16(const float* x, uint16_t* y, int64_t n);
void f16_to_f32(const uint16_t* x, float* y, int64_t n);

}  // namespace convoy::kernels
