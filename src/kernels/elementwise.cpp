#include "kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include "kernels/logistic-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// y = f(a, b) over n elements; the tail is computed one element at a time with the same f.
template <class T, class F>
HWY_INLINE void transform(const T* a, const T* b, T* y, int64_t n, const F& f) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V first = f(load(d, a + i), load(d, b + i));
    const V second = f(load(d, a + i + lanes), load(d, b + i + lanes));
    store(first, d, y + i);
    store(second, d, y + i + lanes);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    const V v = f(hn::Set(d, widened(a[i])), hn::Set(d, widened(b[i])));
    store(hn::Set(one, hn::GetLane(v)), one, y + i);
  }
}

void blend_impl(const float* a, float a_share, const float* b, float b_share, float* y, int64_t n) {
  transform(a, b, y, n, [=](V p, V q) HWY_ATTR {
    return hn::MulAdd(hn::Set(D(), a_share), p, hn::Mul(hn::Set(D(), b_share), q));
  });
}

// Not Max, which turns a NaN into zero: a NaN must stay visible in a diverged run.
V rectified(V x) { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(D())), x); }

template <class T>
HWY_INLINE void relu_of(const T* x, T* y, int64_t n) {
  transform(x, x, y, n, [](V a, V) HWY_ATTR { return rectified(a); });
}
template <class T>
HWY_INLINE void relu_grad_of(const T* y, const T* d_y, T* d_x, int64_t n) {
  transform(y, d_y, d_x, n,
            [](V a, V g) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(a, hn::Zero(D())), g); });
}
template <class T>
HWY_INLINE void add_of(const T* a, const T* b, T* y, int64_t n) {
  transform(a, b, y, n, [](V p, V q) HWY_ATTR { return hn::Add(p, q); });
}

void relu_impl(const float* x, float* y, int64_t n) { relu_of(x, y, n); }
void relu_bf16_impl(const Bf16* x, Bf16* y, int64_t n) { relu_of(x, y, n); }
void relu_grad_impl(const float* y, const float* d_y, float* d_x, int64_t n) {
  relu_grad_of(y, d_y, d_x, n);
}
void relu_grad_bf16_impl(const Bf16* y, const Bf16* d_y, Bf16* d_x, int64_t n) {
  relu_grad_of(y, d_y, d_x, n);
}
void add_impl(const float* a, const float* b, float* y, int64_t n) { add_of(a, b, y, n); }
void add_bf16_impl(const Bf16* a, const Bf16* b, Bf16* y, int64_t n) { add_of(a, b, y, n); }
void leaky_relu_impl(const float* x, float slope, float* y, int64_t n) {
  transform(x, x, y, n, [slope](V a, V) HWY_ATTR {
    return hn::IfThenElse(hn::Lt(a, hn::Zero(D())), hn::Mul(a, hn::Set(D(), slope)), a);
  });
}
void leaky_relu_grad_impl(const float* y, const float* d_y, float slope, float* d_x, int64_t n) {
  transform(y, d_y, d_x, n, [slope](V a, V g) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(a, hn::Zero(D())), g, hn::Mul(g, hn::Set(D(), slope)));
  });
}
void sigmoid_impl(const float* x, float* y, int64_t n) {
  transform(x, x, y, n, [](V a, V) HWY_ATTR { return logistic(D(), a); });
}
void sigmoid_grad_impl(const float* y, const float* d_y, float* d_x, int64_t n) {
  transform(y, d_y, d_x, n, [](V s, V g) HWY_ATTR {
    return hn::Mul(g, hn::Mul(s, hn::Sub(hn::Set(D(), 1.0f), s)));
  });
}
void swish_impl(const float* x, float* y, int64_t n) {
  transform(x, x, y, n, [](V a, V) HWY_ATTR { return hn::Mul(a, logistic(D(), a)); });
}
void swish_grad_impl(const float* x, const float* d_y, float* d_x, int64_t n) {
  transform(x, d_y, d_x, n, [](V a, V g) HWY_ATTR { return hn::Mul(g, swish_slope(D(), a)); });
}
void multiply_impl(const float* a, const float* b, float* y, int64_t n) {
  transform(a, b, y, n, [](V p, V q) HWY_ATTR { return hn::Mul(p, q); });
}
void scale_impl(const float* x, float factor, float* y, int64_t n) {
  transform(x, x, y, n, [factor](V a, V) HWY_ATTR { return hn::Mul(a, hn::Set(D(), factor)); });
}

// Calls f(offset) for every vector of a row, then for the remaining elements one by one.
template <class Wide, class Narrow>
HWY_INLINE void over_row(int64_t width, const Wide& wide, const Narrow& narrow) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t c = 0;
  for (; c + lanes <= width; c += lanes) wide(c);
  for (; c < width; ++c) narrow(c);
}

// Four independent sums, because the additions of one sum wait for each other. add(p, s) returns s
// plus pixel p.
template <class F>
HWY_INLINE V summed(int64_t pixels, const F& add) {
  V s0 = hn::Zero(D()), s1 = s0, s2 = s0, s3 = s0;
  int64_t p = 0;
  for (; p + 4 <= pixels; p += 4) {
    s0 = add(p, s0);
    s1 = add(p + 1, s1);
    s2 = add(p + 2, s2);
    s3 = add(p + 3, s3);
  }
  for (; p < pixels; ++p) s0 = add(p, s0);
  return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
}

void multiply_rows_impl(const float* x, const float* gate, float* y, int64_t pixels,
                        int64_t width) {
  const D d;
  over_row(
      width,
      [&](int64_t c) HWY_ATTR {
        const V g = hn::LoadU(d, gate + c);
        for (int64_t p = 0; p < pixels; ++p) {
          hn::StoreU(hn::Mul(hn::LoadU(d, x + p * width + c), g), d, y + p * width + c);
        }
      },
      [&](int64_t c) HWY_ATTR {
        for (int64_t p = 0; p < pixels; ++p) y[p * width + c] = x[p * width + c] * gate[c];
      });
}

void dot_rows_impl(const float* a, const float* b, float* sum, int64_t pixels, int64_t width) {
  const D d;
  over_row(
      width,
      [&](int64_t c) HWY_ATTR {
        hn::StoreU(summed(pixels,
                          [&](int64_t p, V s) HWY_ATTR {
                            return hn::MulAdd(hn::LoadU(d, a + p * width + c),
                                              hn::LoadU(d, b + p * width + c), s);
                          }),
                   d, sum + c);
      },
      [&](int64_t c) HWY_ATTR {
        float s = 0;
        for (int64_t p = 0; p < pixels; ++p) s += a[p * width + c] * b[p * width + c];
        sum[c] = s;
      });
}

void sum_rows_impl(const float* x, float* sum, int64_t pixels, int64_t width) {
  const D d;
  over_row(
      width,
      [&](int64_t c) HWY_ATTR {
        hn::StoreU(
            summed(pixels, [&](int64_t p, V s)
                               HWY_ATTR { return hn::Add(s, hn::LoadU(d, x + p * width + c)); }),
            d, sum + c);
      },
      [&](int64_t c) HWY_ATTR {
        float s = 0;
        for (int64_t p = 0; p < pixels; ++p) s += x[p * width + c];
        sum[c] = s;
      });
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

namespace convoy::kernels {

HWY_EXPORT(blend_impl);
HWY_EXPORT(relu_impl);
HWY_EXPORT(relu_bf16_impl);
HWY_EXPORT(relu_grad_impl);
HWY_EXPORT(relu_grad_bf16_impl);
HWY_EXPORT(leaky_relu_impl);
HWY_EXPORT(leaky_relu_grad_impl);
HWY_EXPORT(sigmoid_impl);
HWY_EXPORT(sigmoid_grad_impl);
HWY_EXPORT(swish_impl);
HWY_EXPORT(swish_grad_impl);
HWY_EXPORT(add_impl);
HWY_EXPORT(add_bf16_impl);
HWY_EXPORT(multiply_impl);
HWY_EXPORT(scale_impl);
HWY_EXPORT(multiply_rows_impl);
HWY_EXPORT(dot_rows_impl);
HWY_EXPORT(sum_rows_impl);

void relu(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(relu_impl)(x, y, n); }
void relu_grad(const float* y, const float* d_y, float* d_x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(relu_grad_impl)(y, d_y, d_x, n);
}
void relu(const Bf16* x, Bf16* y, int64_t n) { HWY_DYNAMIC_DISPATCH(relu_bf16_impl)(x, y, n); }
void relu_grad(const Bf16* y, const Bf16* d_y, Bf16* d_x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(relu_grad_bf16_impl)(y, d_y, d_x, n);
}
void add(const Bf16* a, const Bf16* b, Bf16* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(add_bf16_impl)(a, b, y, n);
}
void leaky_relu(const float* x, float slope, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(leaky_relu_impl)(x, slope, y, n);
}
void leaky_relu_grad(const float* y, const float* d_y, float slope, float* d_x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(leaky_relu_grad_impl)(y, d_y, slope, d_x, n);
}
void sigmoid(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(sigmoid_impl)(x, y, n); }
void sigmoid_grad(const float* y, const float* d_y, float* d_x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(sigmoid_grad_impl)(y, d_y, d_x, n);
}
void swish(const float* x, float* y, int64_t n) { HWY_DYNAMIC_DISPATCH(swish_impl)(x, y, n); }
void swish_grad(const float* x, const float* d_y, float* d_x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(swish_grad_impl)(x, d_y, d_x, n);
}
void blend(const float* a, float a_share, const float* b, float b_share, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(blend_impl)(a, a_share, b, b_share, y, n);
}
void add(const float* a, const float* b, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(add_impl)(a, b, y, n);
}
void multiply(const float* a, const float* b, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(multiply_impl)(a, b, y, n);
}
void scale(const float* x, float factor, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(scale_impl)(x, factor, y, n);
}
void fill(float value, float* y, int64_t n) { std::fill_n(y, n, value); }
void multiply_rows(const float* x, const float* gate, float* y, int64_t pixels, int64_t width) {
  HWY_DYNAMIC_DISPATCH(multiply_rows_impl)(x, gate, y, pixels, width);
}
void dot_rows(const float* a, const float* b, float* sum, int64_t pixels, int64_t width) {
  HWY_DYNAMIC_DISPATCH(dot_rows_impl)(a, b, sum, pixels, width);
}
void sum_rows(const float* x, float* sum, int64_t pixels, int64_t width) {
  HWY_DYNAMIC_DISPATCH(sum_rows_impl)(x, sum, pixels, width);
}

}  // namespace convoy::kernels
#endif
