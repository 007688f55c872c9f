// What the loops on dot products of bf16 share. Highway 1.0 has none, so that these loops are
// written in intrinsics, for one target. Included only by their .cpp files, on x86-64. They need
// has_bf16_products(isa_level()).
#pragma once

// gcc 12 takes the undefined lanes inside its own intrinsics for uninitialized variables.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#define CONVOY_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#define CONVOY_BF16_INLINE CONVOY_BF16 __attribute__((always_inline)) inline
