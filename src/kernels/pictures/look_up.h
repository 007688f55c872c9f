// Converts bytes to floats with a table of 256 values.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// out[i] = table[bytes[i]], i in [0, n).
void look_up(const uint8_t* bytes, int64_t n, const float* table, float* out);

// out[i] = table[last[-i]]: a row mirrored.
void look_up_backwards(const uint8_t* last, int64_t n, const float* table, float* out);

}  // namespace convoy::kernels
