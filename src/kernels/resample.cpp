#include "kernels/resample.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resample.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using Pixel = hn::CappedTag<float, 4>;
using Bytes = hn::CappedTag<uint8_t, 16>;

HWY_INLINE hn::Vec<Wide> load_bytes(const uint8_t* from) {
  const hn::Rebind<int32_t, Wide> d32;
  const hn::Rebind<uint8_t, Wide> d8;
  return hn::ConvertTo(Wide(), hn::PromoteTo(d32, hn::LoadU(d8, from)));
}

// Four vectors at a time: a sum of its own each.
void blend_rows_impl(const uint8_t* rows, int64_t stride, const float* weights, int64_t taps,
                     int64_t n, float* out) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = n / (4 * lanes) * (4 * lanes);
  for (int64_t i = 0; i < whole; i += 4 * lanes) {
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (int64_t t = 0; t < taps; ++t) {
      const uint8_t* row = rows + t * stride + i;
      const auto weight = hn::Set(d, weights[t]);
      a = hn::MulAdd(weight, load_bytes(row), a);
      b = hn::MulAdd(weight, load_bytes(row + lanes), b);
      c = hn::MulAdd(weight, load_bytes(row + 2 * lanes), c);
      e = hn::MulAdd(weight, load_bytes(row + 3 * lanes), e);
    }
    hn::StoreU(a, d, out + i);
    hn::StoreU(b, d, out + i + lanes);
    hn::StoreU(c, d, out + i + 2 * lanes);
    hn::StoreU(e, d, out + i + 3 * lanes);
  }
  for (int64_t i = whole; i < n; i += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t t = 0; t < taps; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), load_bytes(rows + t * stride + i), sum);
    }
    hn::StoreU(sum, d, out + i);
  }
}

HWY_INLINE void blend_one(const float* from, const float* weights, int64_t taps, uint8_t* to) {
  const Pixel d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const hn::Rebind<uint8_t, Pixel> d8;
  for (int64_t c = 0; c < 4; c += lanes) {
    auto sum = hn::Zero(d);
    for (int64_t t = 0; t < taps; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, from + t * 4 + c), sum);
    }
    hn::StoreU(hn::DemoteTo(d8, hn::NearestInt(sum)), d8, to + c);
  }
}

void blend_pixels_impl(const float* row, const int32_t* first, const float* weights, int64_t taps,
                       int64_t count, uint8_t* red, uint8_t* green, uint8_t* blue) {
  constexpr int64_t group = 16;
  const Bytes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  alignas(64) uint8_t pixels[group * 4];
  alignas(64) uint8_t planes[3][group];
  for (int64_t at = 0; at < count; at += group) {
    const int64_t some = std::min(group, count - at);
    for (int64_t i = 0; i < some; ++i) {
      blend_one(row + int64_t{first[at + i]} * 4, weights + (at + i) * taps, taps, pixels + i * 4);
    }
    for (int64_t i = 0; i < group; i += lanes) {
      hn::Vec<Bytes> r, g, b, x;
      hn::LoadInterleaved4(d, pixels + i * 4, r, g, b, x);
      hn::StoreU(r, d, planes[0] + i);
      hn::StoreU(g, d, planes[1] + i);
      hn::StoreU(b, d, planes[2] + i);
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

HWY_EXPORT(blend_rows_impl);
HWY_EXPORT(blend_pixels_impl);

void blend_rows(const uint8_t* rows, int64_t stride, const float* weights, int64_t taps, int64_t n,
                float* out) {
  HWY_DYNAMIC_DISPATCH(blend_rows_impl)(rows, stride, weights, taps, n, out);
}

void blend_pixels(const float* row, const int32_t* first, const float* weights, int64_t taps,
                  int64_t count, uint8_t* red, uint8_t* green, uint8_t* blue) {
  HWY_DYNAMIC_DISPATCH(blend_pixels_impl)(row, first, weights, taps, count, red, green, blue);
}

}  // namespace convoy::kernels
#endif
