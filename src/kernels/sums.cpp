#include "kernels/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>;
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

// The largest power of two below count: the size of the left half of the tree. Padding is on the
// right.
constexpr int left_half(int count) {
  int half = 1;
  while (2 * half < count) half *= 2;
  return half;
}

// Partial sums stay in registers: only the first row is written.
template <int count, class Tag>
HWY_INLINE hn::Vec<Tag> tree(Tag d, const float* rows, int64_t stride) {
  if constexpr (count == 1) {
    return hn::LoadU(d, rows);
  } else {
    constexpr int half = left_half(count);
    return hn::Add(tree<half>(d, rows, stride),
                   tree<count - half>(d, rows + half * stride, stride));
  }
}

template <int count>
void tree_of(float* rows, int64_t stride, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(tree<count>(d, rows + i, stride), d, rows + i);
  for (; i < n; ++i) hn::StoreU(tree<count>(One(), rows + i, stride), One(), rows + i);
}

void tree_sum_impl(float* rows, int64_t stride, int64_t count, int64_t n) {
  constexpr void (*trees[])(float*, int64_t, int64_t) = {
      tree_of<2>,  tree_of<3>,  tree_of<4>,  tree_of<5>,  tree_of<6>,
      tree_of<7>,  tree_of<8>,  tree_of<9>,  tree_of<10>, tree_of<11>,
      tree_of<12>, tree_of<13>, tree_of<14>, tree_of<15>, tree_of<16>};
  if (count < 2) return;
  if (count <= 16) return trees[count - 2](rows, stride, n);
  const int64_t half = left_half(static_cast<int>(count));
  tree_sum_impl(rows, stride, half, n);
  tree_sum_impl(rows + half * stride, stride, count - half, n);
  accumulate_impl(rows, rows + half * stride, n);
}

bool all_finite_impl(const float* x, int64_t n) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // x * 0 is 0 for every finite x and NaN otherwise; the NaN stays in the sum.
  V sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) sum = hn::MulAdd(hn::LoadU(d, x + i), hn::Zero(d), sum);
  float rest = 0;
  for (; i < n; ++i) rest += x[i] * 0.0f;
  return hn::AllTrue(d, hn::Eq(sum, hn::Zero(d))) && rest == 0;
}

// Each lane sums its own elements in double precision; then the lanes are summed in order.
template <class F>
HWY_INLINE double squares(int64_t n, F&& value) {
  const hn::Repartition<double, D> wide;
  const hn::Rebind<float, decltype(wide)> half;
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  auto sum = hn::Zero(wide);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto x = hn::PromoteTo(wide, value(half, i));
    sum = hn::MulAdd(x, x, sum);
  }
  double total = 0;
  for (size_t lane = 0; lane < hn::Lanes(wide); ++lane) total += hn::ExtractLane(sum, lane);
  for (; i < n; ++i) {
    const auto x = static_cast<double>(hn::GetLane(value(One(), i)));
    total += x * x;
  }
  return total;
}

double sum_of_squares_impl(const float* x, int64_t n) {
  return squares(n, [=](auto d, int64_t i) { return hn::LoadU(d, x + i); });
}

double sum_of_decayed_squares_impl(const float* grad, float grad_scale, const float* w, float decay,
                                   int64_t n) {
  return squares(n, [=](auto d, int64_t i) {
    return hn::MulAdd(hn::LoadU(d, grad + i), hn::Set(d, grad_scale),
                      hn::Mul(hn::Set(d, decay), hn::LoadU(d, w + i)));
  });
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(accumulate_impl);
HWY_EXPORT(tree_sum_impl);
HWY_EXPORT(all_finite_impl);
HWY_EXPORT(sum_of_squares_impl);
HWY_EXPORT(sum_of_decayed_squares_impl);

void accumulate(float* target, const float* term, int64_t n) {
  HWY_DYNAMIC_DISPATCH(accumulate_impl)(target, term, n);
}

void tree_sum(float* rows, int64_t stride, int64_t count, int64_t n) {
  HWY_DYNAMIC_DISPATCH(tree_sum_impl)(rows, stride, count, n);
}

bool all_finite(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(all_finite_impl)(x, n); }

double sum_of_squares(const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_of_squares_impl)(x, n);
}
double sum_of_squares(const float* grad, float grad_scale, const float* w, float decay, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_of_decayed_squares_impl)(grad, grad_scale, w, decay, n);
}

}  // namespace convoy::kernels
#endif
