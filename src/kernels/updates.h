// Optimizer updates: one pass over gradients, buffers and weights for each optimiser. The result of
// an element does not depend on its position.
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct SgdStep {
  float lr;
  float grad_scale;  // multiplies gradients first: 1 / (replicas * accumulation * loss scale)
  float momentum;
  float weight_decay;
  float damping;  // fraction of the gradient that does not enter the buffer (dampening)
  bool nesterov;
};

// In all updates g = grad * grad_scale + weight_decay * w, unless stated otherwise.

// m = momentum * m + (1 - damping) * g;
// w -= lr * (nesterov ? g + momentum * m : m). Without momentum `m` is null: w -= lr * g.
void sgd_update(const SgdStep& step, const float* grad, float* m, float* w, int64_t n);

struct KerasSgdStep {
  float lr, grad_scale, momentum, weight_decay;
  bool nesterov;
};
// v = momentum * v - lr * g; w += nesterov ? momentum * v - lr * g : v.
void keras_sgd_update(const KerasSgdStep& step, const float* grad, float* v, float* w, int64_t n);

struct RmspropStep {
  float lr, grad_scale, momentum, weight_decay;
  float decay;    // of the running mean of squares
  float epsilon;  // added to the root, or under it (tf_rmsprop_update)
};
// s = decay * s + (1 - decay) * g^2; m = momentum * m + g / (sqrt(s) + epsilon); w -= lr * m.
// Without momentum `m` is null.
void rmsprop_update(const RmspropStep& step, const float* grad, float* s, float* m, float* w,
                    int64_t n);
// s += (1 - decay) * (g^2 - s); m = momentum * m + lr * g / sqrt(s + epsilon); w -= m. With
// `first`, s starts as 1.
void tf_rmsprop_update(const RmspropStep& step, bool first, const float* grad, float* s, float* m,
                       float* w, int64_t n);

struct AdamwStep {
  float lr, grad_scale, weight_decay;
  float beta1, beta2, epsilon;
  float correction1, correction2;  // 1 - beta^t in step t
};
// g = grad * grad_scale; w *= 1 - lr * weight_decay; m = beta1 * m + (1 - beta1) * g; v the same
// with g^2; w -= lr / correction1 * m / (sqrt(v / correction2) + epsilon).
void adamw_update(const AdamwStep& step, const float* grad, float* m, float* v, float* w,
                  int64_t n);

// grad = grad * grad_scale, clamped to +-limit.
void clip_values(float grad_scale, float limit, float* grad, int64_t n);

// average = decay * average + (1 - decay) * w.
void moving_average(float decay, const float* w, float* average, int64_t n);

}  // namespace convoy::kernels
