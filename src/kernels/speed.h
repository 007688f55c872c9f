// Measures the peak speed of this core, to compare measurements with.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// Multiply-adds on registers alone, in enough independent chains to hide their latency. Returns the
// number of floating-point operations; `sink` prevents the compiler from removing them.
double burn_fma(int64_t rounds, float* sink);
// The same with dot products of bf16; needs has_bf16_products(isa_level()).
double burn_bf16(int64_t rounds, float* sink);

}  // namespace convoy::kernels
