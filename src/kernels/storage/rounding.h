// Rounds floats in place to numbers of a 16-bit type, stochastically: up or down, the nearer the
// likelier, so that the mean of many roundings is the number itself. Numbers that the type has
// stay as they are.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// The random bits of element i are a function of `key` and `first` + i alone, so results do not
// depend on how a vector is divided. NaN and infinities stay. Beyond the largest number: infinity.
void round_stochastically_to_bf16(uint64_t key, int64_t first, float* x, int64_t n);
void round_stochastically_to_f16(uint64_t key, int64_t first, float* x, int64_t n);

// To nearest, ties to even.
void round_to_nearest_bf16(float* x, int64_t n);
void round_to_nearest_f16(float* x, int64_t n);

}  // namespace convoy::kernels
