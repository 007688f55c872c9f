// Sums in a fixed order.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// target[i] += term[i].
void accumulate(float* target, const float* term, int64_t n);

// Sums `count` rows that are `stride` floats apart in a balanced tree, over n elements of each row.
// Row 0 gets the sum, the other rows are overwritten.
void tree_sum(float* rows, int64_t stride, int64_t count, int64_t n);

// True when every element is finite.
bool all_finite(const float* x, int64_t n);

// The sum of squares, in an order that depends on n alone.
double sum_of_squares(const float* x, int64_t n);
// The same of (grad * grad_scale + decay * w).
double sum_of_squares(const float* grad, float grad_scale, const float* w, float decay, int64_t n);

}  // namespace convoy::kernels
