// The product of the dense layer.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// y[r, o] = x[r, :] * w[o, :] + bias[o]. The order in which an element is summed depends on `in`
// alone, so a row gets the same bits beside any number of others.
void dense(const float* x, const float* w, const float* bias, int64_t rows, int64_t in, int64_t out,
           float* y);

}  // namespace convoy::kernels
