// Sums in a fixed order, and the fused optimiser update.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// target[i] += term[i].
void accumulate(float* target, const float* term, int64_t n);

// A balanced tree over `count` rows that lie `stride` floats apart, padded to a power of two with
// nothing: row 0 gets the sum, the others are spent. Handles n elements of each row.
void tree_sum(float* rows, int64_t stride, int64_t count, int64_t n);

// True when every element is finite.
bool all_finite(const float* x, int64_t n);

struct SgdStep {
  float lr;
  float grad_scale;  // gradients are multiplied by it first: 1 / (replicas * accumulation * loss
                     // scale)
  float momentum;
  float weight_decay;
  float damping;  // share of the gradient that does not enter the buffer
  bool nesterov;
};

// g = grad * grad_scale + weight_decay * w; m = momentum * m + (1 - damping) * g;
// w -= lr * (nesterov ? g + momentum * m : m). Without momentum `m` is null: w -= lr * g.
void sgd_update(const SgdStep& step, const float* grad, float* m, float* w, int64_t n);

// average = decay * average + (1 - decay) * w.
void moving_average(float decay, const float* w, float* average, int64_t n);

}  // namespace convoy::kernels
