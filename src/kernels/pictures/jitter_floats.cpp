#include "kernels/pictures/jitter_floats.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pictures/jitter_floats.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using Floats = hn::Vec<D>;

HWY_INLINE Floats number(float x) { return hn::Set(D(), x); }

// Calls `change(i)` for each vector of n values, and for the rest on a copy.
template <size_t planes, class Change>
HWY_INLINE void in_vectors(float* const (&values)[planes], int64_t n, const Change& change) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    float* at[planes];
    for (size_t p = 0; p < planes; ++p) at[p] = values[p] + i;
    change(at);
  }
  if (i == n) return;
  alignas(64) float rest[planes][16] = {};
  float* at[planes];
  for (size_t p = 0; p < planes; ++p) {
    at[p] = rest[p];
    std::copy_n(values[p] + i, n - i, rest[p]);
  }
  change(at);
  for (size_t p = 0; p < planes; ++p) std::copy_n(rest[p], n - i, values[p] + i);
}

void stretch_impl(float* values, int64_t n, float middle, float factor, float target) {
  const D d;
  in_vectors<1>({values}, n, [&](float* const(&at)[1]) {
    const auto away = hn::Sub(hn::LoadU(d, at[0]), number(middle));
    hn::StoreU(hn::Add(hn::Mul(away, number(factor)), number(target)), d, at[0]);
  });
}

// The hue in sixths of the circle, 0 to 6, of colours that are not grey.
HWY_INLINE Floats hue_of(Floats r, Floats g, Floats b, Floats most, Floats range) {
  const auto sixth = [&](Floats x, Floats y, float begin) {
    return hn::Add(hn::Div(hn::Sub(x, y), range), number(begin));
  };
  const auto of_green_or_blue = hn::IfThenElse(hn::Eq(g, most), sixth(b, r, 2), sixth(r, g, 4));
  const auto hue = hn::IfThenElse(hn::Eq(r, most), sixth(g, b, 0), of_green_or_blue);
  return hn::IfThenElse(hn::Lt(hue, hn::Zero(D())), hn::Add(hue, number(6)), hue);
}

// x - 6 where x is at least 6, x + 6 where it is below 0.
HWY_INLINE Floats once_around(Floats x) {
  const auto below = hn::IfThenElse(hn::Ge(x, number(6)), hn::Sub(x, number(6)), x);
  return hn::IfThenElse(hn::Lt(below, hn::Zero(D())), hn::Add(below, number(6)), below);
}

// A channel of the colour of this hue: `ahead` says by how many sixths the channel's peak is before
// the end of the circle, less one.
HWY_INLINE Floats channel_of(Floats hue, float ahead, Floats most, Floats range) {
  const auto place = once_around(hn::Add(hue, number(ahead)));
  const auto low = hn::Min(hn::Min(place, hn::Sub(number(4), place)), number(1));
  return hn::Sub(most, hn::Mul(range, hn::Max(low, hn::Zero(D()))));
}

void turn_and_saturate_impl(float saturation, float turn, int64_t n, float* red, float* green,
                            float* blue) {
  const D d;
  in_vectors<3>({red, green, blue}, n, [&](float* const(&at)[3]) {
    const auto r = hn::LoadU(d, at[0]), g = hn::LoadU(d, at[1]), b = hn::LoadU(d, at[2]);
    const auto zero = hn::Zero(d);
    const auto most = hn::Max(hn::Max(r, g), b), least = hn::Min(hn::Min(r, g), b);
    const auto range = hn::Sub(most, least);
    const auto is_grey = hn::Eq(most, least);
    // Only avoids a division by zero.
    const auto divisor = hn::IfThenElse(is_grey, number(1), range);
    const auto hue = once_around(hn::Add(hue_of(r, g, b, most, divisor), number(turn)));
    // Saturation is range / most.
    const auto own = hn::IfThenElseZero(hn::Gt(most, zero), hn::Div(range, most));
    const auto changed = hn::Min(hn::Max(hn::Mul(own, number(saturation)), zero), number(1));
    const auto wide = hn::IfThenElse(is_grey, zero, hn::Mul(changed, most));
    hn::StoreU(channel_of(hue, 5, most, wide), d, at[0]);
    hn::StoreU(channel_of(hue, 3, most, wide), d, at[1]);
    hn::StoreU(channel_of(hue, 1, most, wide), d, at[2]);
  });
}

// Sixteen sums whatever the vectors are, then a tree of them.
double mean_of_impl(const float* values, int64_t n) {
  constexpr int64_t width = 16;
  double sums[width] = {};
  int64_t i = 0;
  for (; i + width <= n; i += width) {
    for (int64_t k = 0; k < width; ++k) sums[k] += static_cast<double>(values[i + k]);
  }
  for (; i < n; ++i) sums[i % width] += static_cast<double>(values[i]);
  for (int64_t half = width / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0] / static_cast<double>(n);
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(mean_of_impl);
HWY_EXPORT(stretch_impl);
HWY_EXPORT(turn_and_saturate_impl);

double mean_of(const float* values, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(mean_of_impl)(values, n);
}

void stretch(float* values, int64_t n, float middle, float factor, float target) {
  HWY_DYNAMIC_DISPATCH(stretch_impl)(values, n, middle, factor, target);
}

void turn_and_saturate(float saturation, float turn, int64_t n, float* red, float* green,
                       float* blue) {
  HWY_DYNAMIC_DISPATCH(turn_and_saturate_impl)(saturation, turn, n, red, green, blue);
}

}  // namespace convoy::kernels
#endif
