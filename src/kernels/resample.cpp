#include "kernels/resample.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resample.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<float, 16>;
using Bytes = hn::CappedTag<uint8_t, 16>;

HWY_INLINE hn::Vec<Wide> whole(hn::Vec<Wide> x) {
  const Wide d;
  return hn::Min(hn::Max(hn::Floor(hn::Add(x, hn::Set(d, 0.5f))), hn::Zero(d)), hn::Set(d, 255.0f));
}

// A vector holds the same pixel of as many rows as fit, so that one product serves them all.
template <bool rounded>
void blend_group(const float* pixels, int64_t rows, const ColumnTaps& c, float* const* out) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t floats = 4 * rows;
  const float* weights = c.weights;
  alignas(64) float sums[resample_scratch];
  for (int64_t i = 0; i < c.count; ++i, weights += c.taps) {
    const float* from = pixels + int64_t{c.first[i]} * floats;
    for (int64_t lane = 0; lane < floats; lane += lanes) {
      auto sum = hn::Zero(d);
      for (int64_t t = 0; t < c.taps; ++t) {
        sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, from + t * floats + lane), sum);
      }
      hn::StoreU(rounded ? whole(sum) : sum, d, sums + lane);
    }
    for (int64_t r = 0; r < rows; ++r) std::copy_n(sums + 4 * r, 4, out[r] + 4 * i);
  }
}

void blend_pixels_impl(const uint8_t* from, int64_t stride, int64_t rows, int64_t width,
                       const ColumnTaps& columns, bool rounded, float* scratch, float* const* out) {
  const auto together = std::max<int64_t>(1, static_cast<int64_t>(hn::Lanes(Wide())) / 4);
  for (int64_t row = 0; row < rows;) {
    // Wide vectors are not filled by fewer rows, but what they add is not looked at.
    const int64_t some = std::min(together, rows - row);
    for (int64_t r = 0; r < together; ++r) {
      const uint8_t* line = from + (row + std::min(r, some - 1)) * stride;
      float* to = scratch + 4 * r;
      for (int64_t x = 0; x < width; ++x, line += 4, to += 4 * together) {
        for (int64_t part = 0; part < 4; ++part) to[part] = static_cast<float>(line[part]);
      }
    }
    float* group[resample_rows];
    for (int64_t r = 0; r < together; ++r) group[r] = out[row + std::min(r, some - 1)];
    if (rounded) {
      blend_group<true>(scratch, together, columns, group);
    } else {
      blend_group<false>(scratch, together, columns, group);
    }
    row += some;
  }
}

void blend_rows_impl(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                     uint8_t* red, uint8_t* green, uint8_t* blue) {
  constexpr int64_t group = 16;
  const Wide d;
  const hn::Rebind<uint8_t, Wide> d8;
  const Bytes bytes;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  alignas(64) uint8_t pixels[group * 4 + 64];
  alignas(64) uint8_t planes[3][group];
  for (int64_t at = 0; at < count; at += group) {
    const int64_t some = std::min(group, count - at);
    for (int64_t i = 0; i < 4 * some; i += lanes) {
      auto sum = hn::Zero(d);
      for (int64_t t = 0; t < taps; ++t) {
        sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, rows[t] + 4 * at + i), sum);
      }
      hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(hn::Rebind<int32_t, Wide>(), whole(sum))), d8,
                 pixels + i);
    }
    for (int64_t i = 0; i < group; i += static_cast<int64_t>(hn::Lanes(bytes))) {
      hn::Vec<Bytes> r, g, b, x;
      hn::LoadInterleaved4(bytes, pixels + i * 4, r, g, b, x);
      hn::StoreU(r, bytes, planes[0] + i);
      hn::StoreU(g, bytes, planes[1] + i);
      hn::StoreU(b, bytes, planes[2] + i);
    }
    std::copy_n(planes[0], some, red + at);
    std::copy_n(planes[1], some, green + at);
    std::copy_n(planes[2], some, blue + at);
  }
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(blend_pixels_impl);
HWY_EXPORT(blend_rows_impl);

void blend_pixels(const uint8_t* from, int64_t stride, int64_t rows, int64_t width,
                  const ColumnTaps& columns, bool rounded, float* scratch, float* const* out) {
  HWY_DYNAMIC_DISPATCH(blend_pixels_impl)
  (from, stride, rows, width, columns, rounded, scratch, out);
}

void blend_rows(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                uint8_t* red, uint8_t* green, uint8_t* blue) {
  HWY_DYNAMIC_DISPATCH(blend_rows_impl)(rows, weights, taps, count, red, green, blue);
}

}  // namespace convoy::kernels
#endif
