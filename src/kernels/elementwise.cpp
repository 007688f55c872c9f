#include "kernels/elementwise.h"

#ifndef CONVOY_KERNELS_ELEMENTWISE_LOOPS
#define CONVOY_KERNELS_ELEMENTWISE_LOOPS
namespace convoy::kernels {
namespace {

// The loops of one ISA level, so that one look-up by Highway finds all.
template <class T>
struct Loops {
  using Unary = void (*)(const T*, T*, int64_t);
  using Binary = void (*)(const T*, const T*, T*, int64_t);
  Unary relu;
  Binary relu_grad;
  void (*leaky_relu)(const T*, float, T*, int64_t);
  void (*leaky_relu_grad)(const T*, const T*, float, T*, int64_t);
  Unary sigmoid;
  Binary sigmoid_grad;
  Unary swish;
  Binary swish_grad, add, multiply;
  void (*scale)(const T*, float, T*, int64_t);
  void (*blend)(const T*, float, const T*, float, T*, int64_t);
  void (*multiply_rows)(const T*, const T*, T*, int64_t, int64_t);
  void (*dot_rows)(const T*, const T*, T*, int64_t, int64_t);
  void (*sum_rows)(const T*, float*, int64_t, int64_t);
};

}  // namespace
}  // namespace convoy::kernels
#endif

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

template <class T>
void blend_of(const T* a, float a_share, const T* b, float b_share, T* y, int64_t n) {
  transform(a, b, y, n, [=](V p, V q) HWY_ATTR {
    return hn::MulAdd(hn::Set(D(), a_share), p, hn::Mul(hn::Set(D(), b_share), q));
  });
}

// Not Max, which turns a NaN into zero: a NaN must stay visible in a diverged run.
V rectified(V x) { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(D())), x); }

template <class T>
void relu_of(const T* x, T* y, int64_t n) {
  transform(x, x, y, n, [](V a, V) HWY_ATTR { return rectified(a); });
}
template <class T>
void relu_grad_of(const T* y, const T* d_y, T* d_x, int64_t n) {
  transform(y, d_y, d_x, n,
            [](V a, V g) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(a, hn::Zero(D())), g); });
}
template <class T>
void add_of(const T* a, const T* b, T* y, int64_t n) {
  transform(a, b, y, n, [](V p, V q) HWY_ATTR { return hn::Add(p, q); });
}
template <class T>
void leaky_relu_of(const T* x, float slope, T* y, int64_t n) {
  transform(x, x, y, n, [slope](V a, V) HWY_ATTR {
    return hn::IfThenElse(hn::Lt(a, hn::Zero(D())), hn::Mul(a, hn::Set(D(), slope)), a);
  });
}
template <class T>
void leaky_relu_grad_of(const T* y, const T* d_y, float slope, T* d_x, int64_t n) {
  transform(y, d_y, d_x, n, [slope](V a, V g) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(a, hn::Zero(D())), g, hn::Mul(g, hn::Set(D(), slope)));
  });
}
template <class T>
void sigmoid_of(const T* x, T* y, int64_t n) {
  transform(x, x, y, n, [](V a, V) HWY_ATTR { return logistic(D(), a); });
}
template <class T>
void sigmoid_grad_of(const T* y, const T* d_y, T* d_x, int64_t n) {
  transform(y, d_y, d_x, n, [](V s, V g) HWY_ATTR {
    return hn::Mul(g, hn::Mul(s, hn::Sub(hn::Set(D(), 1.0f), s)));
  });
}
template <class T>
void swish_of(const T* x, T* y, int64_t n) {
  transform(x, x, y, n, [](V a, V) HWY_ATTR { return hn::Mul(a, logistic(D(), a)); });
}
template <class T>
void swish_grad_of(const T* x, const T* d_y, T* d_x, int64_t n) {
  transform(x, d_y, d_x, n, [](V a, V g) HWY_ATTR { return hn::Mul(g, swish_slope(D(), a)); });
}
template <class T>
void multiply_of(const T* a, const T* b, T* y, int64_t n) {
  transform(a, b, y, n, [](V p, V q) HWY_ATTR { return hn::Mul(p, q); });
}
template <class T>
void scale_of(const T* x, float factor, T* y, int64_t n) {
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

template <class T>
void multiply_rows_of(const T* x, const T* gate, T* y, int64_t pixels, int64_t width) {
  const D d;
  over_row(
      width,
      [&](int64_t c) HWY_ATTR {
        const V g = load(d, gate + c);
        for (int64_t p = 0; p < pixels; ++p) {
          store(hn::Mul(load(d, x + p * width + c), g), d, y + p * width + c);
        }
      },
      [&](int64_t c) HWY_ATTR {
        for (int64_t p = 0; p < pixels; ++p)
          y[p * width + c] = rounded_to<T>(widened(x[p * width + c]) * widened(gate[c]));
      });
}

template <class T>
void dot_rows_of(const T* a, const T* b, T* sum, int64_t pixels, int64_t width) {
  const D d;
  over_row(
      width,
      [&](int64_t c) HWY_ATTR {
        const V s = summed(pixels, [&](int64_t p, V so_far) HWY_ATTR {
          return hn::MulAdd(load(d, a + p * width + c), load(d, b + p * width + c), so_far);
        });
        store(s, d, sum + c);
      },
      [&](int64_t c) HWY_ATTR {
        float s = 0;
        for (int64_t p = 0; p < pixels; ++p) {
          s += widened(a[p * width + c]) * widened(b[p * width + c]);
        }
        sum[c] = rounded_to<T>(s);
      });
}

template <class T>
void sum_rows_of(const T* x, float* sum, int64_t pixels, int64_t width) {
  const D d;
  over_row(
      width,
      [&](int64_t c) HWY_ATTR {
        const V s = summed(pixels, [&](int64_t p, V so_far) HWY_ATTR {
          return hn::Add(so_far, load(d, x + p * width + c));
        });
        hn::StoreU(s, d, sum + c);
      },
      [&](int64_t c) HWY_ATTR {
        float s = 0;
        for (int64_t p = 0; p < pixels; ++p) s += widened(x[p * width + c]);
        sum[c] = s;
      });
}

template <class T>
constexpr Loops<T> loops_of{.relu = relu_of<T>,
                            .relu_grad = relu_grad_of<T>,
                            .leaky_relu = leaky_relu_of<T>,
                            .leaky_relu_grad = leaky_relu_grad_of<T>,
                            .sigmoid = sigmoid_of<T>,
                            .sigmoid_grad = sigmoid_grad_of<T>,
                            .swish = swish_of<T>,
                            .swish_grad = swish_grad_of<T>,
                            .add = add_of<T>,
                            .multiply = multiply_of<T>,
                            .scale = scale_of<T>,
                            .blend = blend_of<T>,
                            .multiply_rows = multiply_rows_of<T>,
                            .dot_rows = dot_rows_of<T>,
                            .sum_rows = sum_rows_of<T>};
const Loops<float>& loops_f32() { return loops_of<float>; }
const Loops<Bf16>& loops_bf16() { return loops_of<Bf16>; }
const Loops<F16>& loops_f16() { return loops_of<F16>; }

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

namespace convoy::kernels {

HWY_EXPORT(loops_f32);
HWY_EXPORT(loops_bf16);
HWY_EXPORT(loops_f16);

// The loops of the present ISA level.
template <class T>
const Loops<T>& loops() {
  if constexpr (dtype_of<T> == DType::bf16) {
    return HWY_DYNAMIC_DISPATCH(loops_bf16)();
  } else if constexpr (dtype_of<T> == DType::f16) {
    return HWY_DYNAMIC_DISPATCH(loops_f16)();
  } else {
    return HWY_DYNAMIC_DISPATCH(loops_f32)();
  }
}

template <class T>
void relu(const T* x, T* y, int64_t n) {
  loops<T>().relu(x, y, n);
}
template <class T>
void relu_grad(const T* y, const T* d_y, T* d_x, int64_t n) {
  loops<T>().relu_grad(y, d_y, d_x, n);
}
template <class T>
void leaky_relu(const T* x, float slope, T* y, int64_t n) {
  loops<T>().leaky_relu(x, slope, y, n);
}
template <class T>
void leaky_relu_grad(const T* y, const T* d_y, float slope, T* d_x, int64_t n) {
  loops<T>().leaky_relu_grad(y, d_y, slope, d_x, n);
}
template <class T>
void sigmoid(const T* x, T* y, int64_t n) {
  loops<T>().sigmoid(x, y, n);
}
template <class T>
void sigmoid_grad(const T* y, const T* d_y, T* d_x, int64_t n) {
  loops<T>().sigmoid_grad(y, d_y, d_x, n);
}
template <class T>
void swish(const T* x, T* y, int64_t n) {
  loops<T>().swish(x, y, n);
}
template <class T>
void swish_grad(const T* x, const T* d_y, T* d_x, int64_t n) {
  loops<T>().swish_grad(x, d_y, d_x, n);
}
template <class T>
void add(const T* a, const T* b, T* y, int64_t n) {
  loops<T>().add(a, b, y, n);
}
template <class T>
void multiply(const T* a, const T* b, T* y, int64_t n) {
  loops<T>().multiply(a, b, y, n);
}
template <class T>
void scale(const T* x, float factor, T* y, int64_t n) {
  loops<T>().scale(x, factor, y, n);
}
template <class T>
void blend(const T* a, float a_share, const T* b, float b_share, T* y, int64_t n) {
  loops<T>().blend(a, a_share, b, b_share, y, n);
}
template <class T>
void multiply_rows(const T* x, const T* gate, T* y, int64_t pixels, int64_t width) {
  loops<T>().multiply_rows(x, gate, y, pixels, width);
}
template <class T>
void dot_rows(const T* a, const T* b, T* sum, int64_t pixels, int64_t width) {
  loops<T>().dot_rows(a, b, sum, pixels, width);
}
template <class T>
void sum_rows(const T* x, float* sum, int64_t pixels, int64_t width) {
  loops<T>().sum_rows(x, sum, pixels, width);
}
void fill(float value, float* y, int64_t n) { std::fill_n(y, n, value); }

template void relu(const float*, float*, int64_t);
template void relu_grad(const float*, const float*, float*, int64_t);
template void leaky_relu(const float*, float, float*, int64_t);
template void leaky_relu_grad(const float*, const float*, float, float*, int64_t);
template void sigmoid(const float*, float*, int64_t);
template void sigmoid_grad(const float*, const float*, float*, int64_t);
template void swish(const float*, float*, int64_t);
template void swish_grad(const float*, const float*, float*, int64_t);
template void add(const float*, const float*, float*, int64_t);
template void multiply(const float*, const float*, float*, int64_t);
template void scale(const float*, float, float*, int64_t);
template void blend(const float*, float, const float*, float, float*, int64_t);
template void multiply_rows(const float*, const float*, float*, int64_t, int64_t);
template void dot_rows(const float*, const float*, float*, int64_t, int64_t);
template void sum_rows(const float*, float*, int64_t, int64_t);
template void relu(const Bf16*, Bf16*, int64_t);
template void relu(const F16*, F16*, int64_t);
template void relu_grad(const Bf16*, const Bf16*, Bf16*, int64_t);
template void relu_grad(const F16*, const F16*, F16*, int64_t);
template void leaky_relu(const Bf16*, float, Bf16*, int64_t);
template void leaky_relu(const F16*, float, F16*, int64_t);
template void leaky_relu_grad(const Bf16*, const Bf16*, float, Bf16*, int64_t);
template void leaky_relu_grad(const F16*, const F16*, float, F16*, int64_t);
template void sigmoid(const Bf16*, Bf16*, int64_t);
template void sigmoid(const F16*, F16*, int64_t);
template void sigmoid_grad(const Bf16*, const Bf16*, Bf16*, int64_t);
template void sigmoid_grad(const F16*, const F16*, F16*, int64_t);
template void swish(const Bf16*, Bf16*, int64_t);
template void swish(const F16*, F16*, int64_t);
template void swish_grad(const Bf16*, const Bf16*, Bf16*, int64_t);
template void swish_grad(const F16*, const F16*, F16*, int64_t);
template void add(const Bf16*, const Bf16*, Bf16*, int64_t);
template void add(const F16*, const F16*, F16*, int64_t);
template void multiply(const Bf16*, const Bf16*, Bf16*, int64_t);
template void multiply(const F16*, const F16*, F16*, int64_t);
template void scale(const Bf16*, float, Bf16*, int64_t);
template void scale(const F16*, float, F16*, int64_t);
template void blend(const Bf16*, float, const Bf16*, float, Bf16*, int64_t);
template void blend(const F16*, float, const F16*, float, F16*, int64_t);
template void multiply_rows(const Bf16*, const Bf16*, Bf16*, int64_t, int64_t);
template void multiply_rows(const F16*, const F16*, F16*, int64_t, int64_t);
template void dot_rows(const Bf16*, const Bf16*, Bf16*, int64_t, int64_t);
template void dot_rows(const F16*, const F16*, F16*, int64_t, int64_t);
template void sum_rows(const Bf16*, float*, int64_t, int64_t);
template void sum_rows(const F16*, float*, int64_t, int64_t);

}  // namespace convoy::kernels
#endif
