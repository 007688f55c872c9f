// Exponentials of a row of numbers, for a softmax.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// Writes exp(row[i] - top) for i in [0, n) to `powers`, and returns their sum. `top` is the largest
// of the row. What is not a number remains so, also in the sum.
float exponentials(const float* row, float top, int64_t n, float* powers);

}  // namespace convoy::kernels
