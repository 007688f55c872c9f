#include "kernels/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

void accumulate_impl(float* target, const float* term, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, target + i), hn::LoadU(d, term + i)), d, target + i);
  }
  for (; i < n; ++i) target[i] += term[i];
}

bool all_finite_impl(const float* x, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // x * 0 is 0 for every finite x and NaN for the rest; NaN stays in the sum.
  V sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::MulAdd(hn::LoadU(d, x + i), hn::Zero(d), sum);
  float rest = 0;
  for (; i < n; ++i) rest += x[i] * 0.0f;
  return hn::AllTrue(d, hn::Eq(sum, hn::Zero(d))) && rest == 0;
}

template <bool momentum, bool nesterov>
HWY_INLINE void sgd(const SgdStep& s, const float* grad, float* m, float* w, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const V lr = hn::Set(d, s.lr);
  const V scale = hn::Set(d, s.grad_scale);
  const V decay = hn::Set(d, s.weight_decay);
  const V mu = hn::Set(d, s.momentum);
  const V share = hn::Set(d, 1 - s.damping);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V old = hn::LoadU(d, w + i);
    const V g = hn::MulAdd(hn::LoadU(d, grad + i), scale, hn::Mul(decay, old));
    V move = g;
    if constexpr (momentum) {
      const V buffer = hn::MulAdd(mu, hn::LoadU(d, m + i), hn::Mul(share, g));
      hn::StoreU(buffer, d, m + i);
      move = nesterov ? hn::MulAdd(mu, buffer, g) : buffer;
    }
    hn::StoreU(hn::NegMulAdd(lr, move, old), d, w + i);
  }
  // The tail with the same roundings as the vectors.
  for (; i < n; ++i) {
    const float g = std::fma(grad[i], s.grad_scale, s.weight_decay * w[i]);
    float move = g;
    if constexpr (momentum) {
      m[i] = std::fma(s.momentum, m[i], (1 - s.damping) * g);
      move = nesterov ? std::fma(s.momentum, m[i], g) : m[i];
    }
    w[i] = std::fma(-s.lr, move, w[i]);
  }
}

void sgd_update_impl(const SgdStep& s, const float* grad, float* m, float* w, int64_t n) {
  if (!m) return sgd<false, false>(s, grad, m, w, n);
  if (s.nesterov) return sgd<true, true>(s, grad, m, w, n);
  sgd<true, false>(s, grad, m, w, n);
}

void moving_average_impl(float decay, const float* w, float* average, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const V keep = hn::Set(d, decay);
  const V take = hn::Set(d, 1 - decay);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::MulAdd(keep, hn::LoadU(d, average + i), hn::Mul(take, hn::LoadU(d, w + i))), d,
               average + i);
  }
  for (; i < n; ++i) average[i] = std::fma(decay, average[i], (1 - decay) * w[i]);
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(accumulate_impl);
HWY_EXPORT(all_finite_impl);
HWY_EXPORT(sgd_update_impl);
HWY_EXPORT(moving_average_impl);

void accumulate(float* target, const float* term, int64_t n) {
  HWY_DYNAMIC_DISPATCH(accumulate_impl)(target, term, n);
}

void tree_sum(float* rows, int64_t stride, int64_t count, int64_t n) {
  for (int64_t step = 1; step < count; step *= 2) {
    for (int64_t i = 0; i + step < count; i += 2 * step) {
      accumulate(rows + i * stride, rows + (i + step) * stride, n);
    }
  }
}

bool all_finite(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(all_finite_impl)(x, n); }

void sgd_update(const SgdStep& step, const float* grad, float* m, float* w, int64_t n) {
  HWY_DYNAMIC_DISPATCH(sgd_update_impl)(step, grad, m, w, n);
}
void moving_average(float decay, const float* w, float* average, int64_t n) {
  HWY_DYNAMIC_DISPATCH(moving_average_impl)(decay, w, average, n);
}

}  // namespace convoy::kernels
#endif
