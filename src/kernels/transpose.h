// Transposes rows into the lanes of blocks, to pack plain weights.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

// to[j * to_stride + i] = from[i * from_stride + j] for i in [0, rows) and j in [0, columns); lanes
// in [rows, block) get zeros. A negative stride reverses the order. `block` is channel_block().
struct Transpose {
  int64_t rows, columns, block;
  int64_t from_stride, to_stride;
};
void transpose(const Transpose& t, const float* from, float* to);

// Rounds to bf16 and interleaves: 2 * block numbers a[0], b[0], a[1], b[1] … go to to + places[v],
// for each v in [0, vectors); the next ones are at a + block and b + block.
void interleave_bf16(const float* a, const float* b, int64_t block, int64_t vectors,
                     const int64_t* places, Bf16* to);

}  // namespace convoy::kernels
