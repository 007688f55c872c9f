#include "kernels/pictures/sample_bytes.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pictures/sample_bytes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes one pixel of the row, in all channels.
void sample_pixel(const SampledPicture& from, const double* m, int64_t x, double middle_y,
                  uint8_t* out) {
  const int64_t area = from.h * from.w;
  const double middle_x = static_cast<double>(x) + 0.5;
  const double at_x = m[0] * middle_x + m[1] * middle_y + m[2];
  const double at_y = m[3] * middle_x + m[4] * middle_y + m[5];
  const bool inside = at_x >= 0 && at_x < static_cast<double>(from.w) && at_y >= 0 &&
                      at_y < static_cast<double>(from.h);
  if (!inside) {
    for (int64_t c = 0; c < from.channels; ++c) out[c * area + x] = 0;
    return;
  }
  const double left = std::floor(at_x - 0.5), top = std::floor(at_y - 0.5);
  const double dx = at_x - 0.5 - left, dy = at_y - 0.5 - top;
  const auto column = static_cast<int64_t>(left), row = static_cast<int64_t>(top);
  const int64_t x0 = std::max<int64_t>(column, 0), x1 = std::min(column + 1, from.w - 1);
  const int64_t y0 = std::max<int64_t>(row, 0), y1 = std::min(row + 1, from.h - 1);
  for (int64_t c = 0; c < from.channels; ++c) {
    const uint8_t* upper = from.planes + c * area + y0 * from.w;
    const uint8_t* lower = from.planes + c * area + y1 * from.w;
    const double above = upper[x0] + (upper[x1] - upper[x0]) * dx;
    const double below = lower[x0] + (lower[x1] - lower[x0]) * dx;
    out[c * area + x] = static_cast<uint8_t>(above + (below - above) * dy);
  }
}

// Only where bytes can be gathered.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

using D = hn::CappedTag<double, 8>;
using D32 = hn::Rebind<int32_t, D>;

// Computes as many pixels at once as there are lanes; returns the first remaining one.
int64_t sample_many(const SampledPicture& from, const double* m, double middle_y, uint8_t* out) {
  const D d;
  const D32 d32;
  const hn::Rebind<uint8_t, D> d8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t area = from.h * from.w;
  const auto number = [&](double x) { return hn::Set(d, x); };
  const auto zero = hn::Zero(d), half = number(0.5);
  const auto width = number(static_cast<double>(from.w));
  const auto height = number(static_cast<double>(from.h));
  const auto low_byte = hn::Set(d32, 0xff);
  const auto point = [&](auto middle_x, const double* row) {
    return hn::Add(hn::Add(hn::Mul(number(row[0]), middle_x), number(row[1] * middle_y)),
                   number(row[2]));
  };
  int64_t x = 0;
  for (; x + lanes <= from.w; x += lanes) {
    const auto middle_x = hn::Add(hn::Iota(d, static_cast<double>(x)), half);
    const auto at_x = point(middle_x, m), at_y = point(middle_x, m + 3);
    const auto inside = hn::And(hn::And(hn::Ge(at_x, zero), hn::Lt(at_x, width)),
                                hn::And(hn::Ge(at_y, zero), hn::Lt(at_y, height)));
    if (hn::AllFalse(d, inside)) {
      for (int64_t c = 0; c < from.channels; ++c)
        std::fill_n(out + c * area + x, lanes, uint8_t{0});
      continue;
    }
    const auto moved_x = hn::IfThenElseZero(inside, hn::Sub(at_x, half));
    const auto moved_y = hn::IfThenElseZero(inside, hn::Sub(at_y, half));
    const auto left = hn::Floor(moved_x), top = hn::Floor(moved_y);
    // At the edge both neighbours are the same pixel: the weight of the second is zero.
    const auto has_both = hn::And(hn::Ge(left, zero), hn::Lt(left, hn::Sub(width, number(1))));
    const auto dx = hn::IfThenElseZero(has_both, hn::Sub(moved_x, left));
    const auto dy = hn::Sub(moved_y, top);
    const auto whole = [&](auto value) { return hn::DemoteTo(d32, value); };
    const auto x0 = whole(hn::Max(left, zero));
    const auto row_of = [&](auto value) {
      const auto last = hn::Sub(height, number(1));
      return hn::Mul(whole(hn::Min(hn::Max(value, zero), last)),
                     hn::Set(d32, static_cast<int32_t>(from.w)));
    };
    const auto upper = hn::Add(row_of(top), x0);
    const auto lower = hn::Add(row_of(hn::Add(top, number(1))), x0);
    for (int64_t c = 0; c < from.channels; ++c) {
      // Gathers four bytes at an index; the first two are the neighbours.
      const auto across = [&](auto index) {
        const auto bytes =
            hn::GatherOffset(d32, reinterpret_cast<const int32_t*>(from.planes + c * area), index);
        const auto first = hn::And(bytes, low_byte);
        const auto second = hn::And(hn::ShiftRight<8>(bytes), low_byte);
        return hn::Add(hn::PromoteTo(d, first),
                       hn::Mul(hn::PromoteTo(d, hn::Sub(second, first)), dx));
      };
      const auto above = across(upper), below = across(lower);
      const auto value = hn::Add(above, hn::Mul(hn::Sub(below, above), dy));
      const auto seen = hn::DemoteTo(d32, hn::IfThenElseZero(inside, value));
      hn::StoreU(hn::DemoteTo(d8, seen), d8, out + c * area + x);
    }
  }
  return x;
}

#else

int64_t sample_many(const SampledPicture&, const double*, double, uint8_t*) { return 0; }

#endif

void sample_bilinear_impl(const SampledPicture& from, const double* m, int64_t y, uint8_t* out) {
  const double middle_y = static_cast<double>(y) + 0.5;
  for (int64_t x = sample_many(from, m, middle_y, out); x < from.w; ++x) {
    sample_pixel(from, m, x, middle_y, out);
  }
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(sample_bilinear_impl);

void sample_bilinear(const SampledPicture& from, const double* m, int64_t y, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(sample_bilinear_impl)(from, m, y, out);
}

}  // namespace convoy::kernels
#endif
