// Transposes rows into the lanes of blocks, to pack plain weights.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// to[j * to_stride + i] = from[i * from_stride + j] for i in [0, rows) and j in [0, columns); lanes
// in [rows, block) get zeros. A negative stride reverses the order. `block` is channel_block().
struct Transpose {
  int64_t rows, columns, block;
  int64_t from_stride, to_stride;
};
void transpose(const Transpose& t, const float* from, float* to);

}  // namespace convoy::kernels
