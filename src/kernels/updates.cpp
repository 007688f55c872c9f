#include "kernels/updates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/updates.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>;

// Calls f(tag, i) for each vector, and with one-element vectors for the tail: so the tail has the
// same rounding whether the target fuses multiply and add or not.
template <class F>
HWY_INLINE void each_vector(int64_t n, F&& f) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(D(), i);
  for (; i < n; ++i) f(One(), i);
}

// grad * grad_scale + weight_decay * w
template <class Tag>
HWY_INLINE hn::Vec<Tag> decayed(Tag d, const float* grad, float grad_scale, float weight_decay,
                                hn::Vec<Tag> w) {
  return hn::MulAdd(hn::LoadU(d, grad), hn::Set(d, grad_scale),
                    hn::Mul(hn::Set(d, weight_decay), w));
}

template <bool momentum, bool nesterov>
HWY_INLINE void sgd(const SgdStep& s, const float* grad, float* m, float* w, int64_t n) {
  each_vector(n, [&](auto d, int64_t i) {
    const auto mu = hn::Set(d, s.momentum);
    const auto old = hn::LoadU(d, w + i);
    const auto g = decayed(d, grad + i, s.grad_scale, s.weight_decay, old);
    auto move = g;
    if constexpr (momentum) {
      const auto buffer =
          hn::MulAdd(mu, hn::LoadU(d, m + i), hn::Mul(hn::Set(d, 1 - s.damping), g));
      hn::StoreU(buffer, d, m + i);
      move = nesterov ? hn::MulAdd(mu, buffer, g) : buffer;
    }
    hn::StoreU(hn::NegMulAdd(hn::Set(d, s.lr), move, old), d, w + i);
  });
}

void sgd_update_impl(const SgdStep& s, const float* grad, float* m, float* w, int64_t n) {
  if (!m) return sgd<false, false>(s, grad, m, w, n);
  if (s.nesterov) return sgd<true, true>(s, grad, m, w, n);
  sgd<true, false>(s, grad, m, w, n);
}

void keras_sgd_update_impl(const KerasSgdStep& s, const float* grad, float* v, float* w,
                           int64_t n) {
  each_vector(n, [&](auto d, int64_t i) {
    const auto mu = hn::Set(d, s.momentum);
    const auto old = hn::LoadU(d, w + i);
    const auto step =
        hn::Mul(hn::Set(d, s.lr), decayed(d, grad + i, s.grad_scale, s.weight_decay, old));
    const auto buffer = hn::MulSub(mu, hn::LoadU(d, v + i), step);
    hn::StoreU(buffer, d, v + i);
    hn::StoreU(hn::Add(old, s.nesterov ? hn::MulSub(mu, buffer, step) : buffer), d, w + i);
  });
}

void rmsprop_update_impl(const RmspropStep& s, const float* grad, float* squares, float* m,
                         float* w, int64_t n) {
  each_vector(n, [&](auto d, int64_t i) {
    const auto old = hn::LoadU(d, w + i);
    const auto g = decayed(d, grad + i, s.grad_scale, s.weight_decay, old);
    const auto mean = hn::MulAdd(hn::Set(d, s.decay), hn::LoadU(d, squares + i),
                                 hn::Mul(hn::Set(d, 1 - s.decay), hn::Mul(g, g)));
    hn::StoreU(mean, d, squares + i);
    auto move = hn::Div(g, hn::Add(hn::Sqrt(mean), hn::Set(d, s.epsilon)));
    if (m) {
      move = hn::MulAdd(hn::Set(d, s.momentum), hn::LoadU(d, m + i), move);
      hn::StoreU(move, d, m + i);
    }
    hn::StoreU(hn::NegMulAdd(hn::Set(d, s.lr), move, old), d, w + i);
  });
}

void tf_rmsprop_update_impl(const RmspropStep& s, bool first, const float* grad, float* squares,
                            float* m, float* w, int64_t n) {
  each_vector(n, [&](auto d, int64_t i) {
    const auto old = hn::LoadU(d, w + i);
    const auto g = decayed(d, grad + i, s.grad_scale, s.weight_decay, old);
    const auto before = first ? hn::Set(d, 1.0f) : hn::LoadU(d, squares + i);
    const auto mean = hn::MulAdd(hn::Set(d, 1 - s.decay), hn::MulSub(g, g, before), before);
    hn::StoreU(mean, d, squares + i);
    const auto move =
        hn::Div(hn::Mul(hn::Set(d, s.lr), g), hn::Sqrt(hn::Add(mean, hn::Set(d, s.epsilon))));
    const auto buffer = hn::MulAdd(hn::Set(d, s.momentum), hn::LoadU(d, m + i), move);
    hn::StoreU(buffer, d, m + i);
    hn::StoreU(hn::Sub(old, buffer), d, w + i);
  });
}

void adamw_update_impl(const AdamwStep& s, const float* grad, float* m, float* v, float* w,
                       int64_t n) {
  const float keep = 1 - s.lr * s.weight_decay, rate = s.lr / s.correction1;
  const float root = 1 / s.correction2;
  each_vector(n, [&](auto d, int64_t i) {
    const auto g = hn::Mul(hn::LoadU(d, grad + i), hn::Set(d, s.grad_scale));
    const auto mean =
        hn::MulAdd(hn::Set(d, s.beta1), hn::LoadU(d, m + i), hn::Mul(hn::Set(d, 1 - s.beta1), g));
    const auto square = hn::MulAdd(hn::Set(d, s.beta2), hn::LoadU(d, v + i),
                                   hn::Mul(hn::Set(d, 1 - s.beta2), hn::Mul(g, g)));
    hn::StoreU(mean, d, m + i);
    hn::StoreU(square, d, v + i);
    const auto below = hn::Add(hn::Sqrt(hn::Mul(square, hn::Set(d, root))), hn::Set(d, s.epsilon));
    const auto old = hn::Mul(hn::LoadU(d, w + i), hn::Set(d, keep));
    hn::StoreU(hn::NegMulAdd(hn::Set(d, rate), hn::Div(mean, below), old), d, w + i);
  });
}

void clip_values_impl(float grad_scale, float limit, float* grad, int64_t n) {
  each_vector(n, [&](auto d, int64_t i) {
    const auto g = hn::Mul(hn::LoadU(d, grad + i), hn::Set(d, grad_scale));
    hn::StoreU(hn::Clamp(g, hn::Set(d, -limit), hn::Set(d, limit)), d, grad + i);
  });
}

void moving_average_impl(float decay, const float* w, float* average, int64_t n) {
  each_vector(n, [&](auto d, int64_t i) {
    const auto new_share = hn::Mul(hn::Set(d, 1 - decay), hn::LoadU(d, w + i));
    hn::StoreU(hn::MulAdd(hn::Set(d, decay), hn::LoadU(d, average + i), new_share), d, average + i);
  });
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(sgd_update_impl);
HWY_EXPORT(keras_sgd_update_impl);
HWY_EXPORT(rmsprop_update_impl);
HWY_EXPORT(tf_rmsprop_update_impl);
HWY_EXPORT(adamw_update_impl);
HWY_EXPORT(clip_values_impl);
HWY_EXPORT(moving_average_impl);

void sgd_update(const SgdStep& step, const float* grad, float* m, float* w, int64_t n) {
  HWY_DYNAMIC_DISPATCH(sgd_update_impl)(step, grad, m, w, n);
}
void keras_sgd_update(const KerasSgdStep& step, const float* grad, float* v, float* w, int64_t n) {
  HWY_DYNAMIC_DISPATCH(keras_sgd_update_impl)(step, grad, v, w, n);
}
void rmsprop_update(const RmspropStep& step, const float* grad, float* s, float* m, float* w,
                    int64_t n) {
  HWY_DYNAMIC_DISPATCH(rmsprop_update_impl)(step, grad, s, m, w, n);
}
void tf_rmsprop_update(const RmspropStep& step, bool first, const float* grad, float* s, float* m,
                       float* w, int64_t n) {
  HWY_DYNAMIC_DISPATCH(tf_rmsprop_update_impl)(step, first, grad, s, m, w, n);
}
void adamw_update(const AdamwStep& step, const float* grad, float* m, float* v, float* w,
                  int64_t n) {
  HWY_DYNAMIC_DISPATCH(adamw_update_impl)(step, grad, m, v, w, n);
}
void clip_values(float grad_scale, float limit, float* grad, int64_t n) {
  HWY_DYNAMIC_DISPATCH(clip_values_impl)(grad_scale, limit, grad, n);
}
void moving_average(float decay, const float* w, float* average, int64_t n) {
  HWY_DYNAMIC_DISPATCH(moving_average_impl)(decay, w, average, n);
}

}  // namespace convoy::kernels
#endif
