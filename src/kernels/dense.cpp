#include "kernels/dense.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// The rows and columns of a tile share loads; each element is summed as if it were alone.
template <int rows, int outs>
HWY_INLINE void tile(const float* x, const float* w, const float* bias, int64_t in, int64_t out,
                     float* y) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[rows][outs];
  for (auto& row : sums) {
    for (V& sum : row) sum = hn::Zero(d);
  }
  int64_t i = 0;
  for (; i + lanes <= in; i += lanes) {
    V ws[outs];
    for (int o = 0; o < outs; ++o) ws[o] = hn::LoadU(d, w + o * in + i);
    for (int r = 0; r < rows; ++r) {
      const V xs = hn::LoadU(d, x + r * in + i);
      for (int o = 0; o < outs; ++o) sums[r][o] = hn::MulAdd(xs, ws[o], sums[r][o]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int o = 0; o < outs; ++o) {
      float sum = hn::GetLane(hn::SumOfLanes(d, sums[r][o]));
      for (int64_t k = i; k < in; ++k) sum = std::fma(x[r * in + k], w[o * in + k], sum);
      y[r * out + o] = sum + bias[o];
    }
  }
}

template <int outs>
HWY_INLINE void columns(const float* x, const float* w, const float* bias, int64_t rows, int64_t in,
                        int64_t out, float* y) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) tile<4, outs>(x + r * in, w, bias, in, out, y + r * out);
  for (; r < rows; ++r) tile<1, outs>(x + r * in, w, bias, in, out, y + r * out);
}

void dense_impl(const float* x, const float* w, const float* bias, int64_t rows, int64_t in,
                int64_t out, float* y) {
  int64_t o = 0;
  for (; o + 4 <= out; o += 4) columns<4>(x, w + o * in, bias + o, rows, in, out, y + o);
  for (; o < out; ++o) columns<1>(x, w + o * in, bias + o, rows, in, out, y + o);
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(dense_impl);

void dense(const float* x, const float* w, const float* bias, int64_t rows, int64_t in, int64_t out,
           float* y) {
  HWY_DYNAMIC_DISPATCH(dense_impl)(x, w, bias, rows, in, out, y);
}

}  // namespace convoy::kernels
#endif
