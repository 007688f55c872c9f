// The matrix product of the fully connected layer.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// y[r, o] = x[r, :] * w[o, :] + bias[o]. The summation order of an element depends on `in` alone,
// so a row gets the same bits whatever other rows are computed with it.
void dense(const float* x, const float* w, const float* bias, int64_t rows, int64_t in, int64_t out,
           float* y);

}  // namespace convoy::kernels
