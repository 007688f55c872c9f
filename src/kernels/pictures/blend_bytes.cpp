#include "kernels/pictures/blend_bytes.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pictures/blend_bytes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using D32 = hn::Rebind<int32_t, D>;
using D8 = hn::Rebind<uint8_t, D>;
using D16 = hn::CappedTag<uint16_t, 32>;

void brightness_bytes_impl(const uint8_t* red, const uint8_t* green, const uint8_t* blue, int64_t n,
                           uint8_t* out) {
  const D32 d;
  const D8 d8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto times = [&](const uint8_t* from, int factor) {
    return hn::Mul(hn::PromoteTo(d, hn::LoadU(d8, from)), hn::Set(d, factor));
  };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto sum = hn::Add(hn::Add(times(red + i, 19595), times(green + i, 38470)),
                             hn::Add(times(blue + i, 7471), hn::Set(d, 0x8000)));
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<16>(sum)), d8, out + i);
  }
  for (; i < n; ++i) out[i] = brightness_of(red[i], green[i], blue[i]);
}

void blend_bytes_impl(const uint8_t* poorer, int64_t n, float factor, uint8_t* values) {
  const D d;
  const D32 d32;
  const D8 d8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, factor), low = hn::Zero(d), high = hn::Set(d, 255.0f);
  const auto load = [&](const uint8_t* from) { return hn::PromoteTo(d32, hn::LoadU(d8, from)); };
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto p = load(poorer + i);
    const auto apart = hn::ConvertTo(d, hn::Sub(load(values + i), p));
    const auto mixed = hn::Add(hn::ConvertTo(d, p), hn::Mul(by, apart));
    const auto inside = hn::Min(hn::Max(mixed, low), high);
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, inside)), d8, values + i);
  }
  for (; i < n; ++i) {
    const float mixed =
        static_cast<float>(poorer[i]) + factor * static_cast<float>(values[i] - poorer[i]);
    values[i] = static_cast<uint8_t>(std::clamp(mixed, 0.0f, 255.0f));
  }
}

void smooth_bytes_impl(const uint8_t* plane, int64_t h, int64_t w, uint8_t* out) {
  std::memcpy(out, plane, static_cast<size_t>(h * w));
  const D16 d;
  const hn::Rebind<uint8_t, D16> d8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto load = [&](const uint8_t* from) { return hn::PromoteTo(d, hn::LoadU(d8, from)); };
  for (int64_t y = 1; y + 1 < h; ++y) {
    const uint8_t* row = plane + y * w;
    const auto column = [&](int64_t x) {
      return hn::Add(hn::Add(load(row - w + x), load(row + x)), load(row + w + x));
    };
    int64_t x = 1;
    for (; x + lanes < w; x += lanes) {
      const auto sum = hn::Add(hn::Add(column(x - 1), column(x)),
                               hn::Add(column(x + 1), hn::ShiftLeft<2>(load(row + x))));
      // (2 sum + 13) / 26: the dividend is below 2^13, for which multiplying by 40330 / 2^20 is
      // exact.
      const auto twice = hn::Add(hn::Add(sum, sum), hn::Set(d, uint16_t{13}));
      const auto mean = hn::ShiftRight<4>(hn::MulHigh(twice, hn::Set(d, uint16_t{40330})));
      const hn::RebindToSigned<D16> same;
      hn::StoreU(hn::DemoteTo(d8, hn::BitCast(same, mean)), d8, out + y * w + x);
    }
    for (; x + 1 < w; ++x) {
      int sum = 4 * row[x];
      for (const uint8_t* near : {row - w, row, row + w}) {
        sum += near[x - 1] + near[x] + near[x + 1];
      }
      out[y * w + x] = static_cast<uint8_t>((2 * sum + 13) / 26);
    }
  }
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(brightness_bytes_impl);
HWY_EXPORT(blend_bytes_impl);
HWY_EXPORT(smooth_bytes_impl);

void brightness_bytes(const uint8_t* red, const uint8_t* green, const uint8_t* blue, int64_t n,
                      uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(brightness_bytes_impl)(red, green, blue, n, out);
}

void blend_bytes(const uint8_t* poorer, int64_t n, float factor, uint8_t* values) {
  HWY_DYNAMIC_DISPATCH(blend_bytes_impl)(poorer, n, factor, values);
}

void smooth_bytes(const uint8_t* plane, int64_t h, int64_t w, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(smooth_bytes_impl)(plane, h, w, out);
}

}  // namespace convoy::kernels
#endif
