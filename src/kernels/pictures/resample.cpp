#include "kernels/pictures/resample.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pictures/resample.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<float, 16>;

HWY_INLINE hn::Vec<Wide> whole(hn::Vec<Wide> x) {
  const Wide d;
  return hn::Min(hn::Max(hn::Floor(hn::Add(x, hn::Set(d, 0.5f))), hn::Zero(d)), hn::Set(d, 255.0f));
}

// The number of rows whose pixels share a vector, so that one product computes all of them.
constexpr int64_t together = std::max<int64_t>(1, static_cast<int64_t>(hn::MaxLanes(Wide())) / 4);

// Interleaves the pixels of all rows, as floats: [pixel][row][4].
void widen(const uint8_t* const* rows, int64_t width, float* out) {
  const uint8_t* lines[together];
  for (int64_t r = 0; r < together; ++r) lines[r] = rows[r];
  int64_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (together > 1) {
    // Four pixels of each row; a pixel is a 32-bit number here.
    const Wide d;
    const hn::Rebind<int32_t, Wide> d32;
    const hn::Rebind<uint8_t, Wide> d8;
    const hn::FixedTag<uint32_t, 4> four;
    const hn::FixedTag<uint64_t, 2> two;
    const hn::FixedTag<uint8_t, 16> sixteen;
    const auto floats = [&](auto bytes) { return hn::ConvertTo(d, hn::PromoteTo(d32, bytes)); };
    const auto put = [&](auto pixels, float* to) {
      const auto bytes = hn::BitCast(sixteen, pixels);
      if constexpr (together == 4) {
        hn::StoreU(floats(bytes), d, to);
      } else if constexpr (together == 2) {
        hn::StoreU(floats(hn::LowerHalf(d8, bytes)), d, to);
        hn::StoreU(floats(hn::UpperHalf(d8, bytes)), d, to + 8);
      }
    };
    const auto load = [&](int64_t r) {
      return hn::BitCast(four, hn::LoadU(sixteen, lines[r] + x * 4));
    };
    for (; x + 4 <= width; x += 4, out += 16 * together) {
      if constexpr (together == 2) {
        const auto a = load(0), b = load(1);
        put(hn::InterleaveLower(four, a, b), out);
        put(hn::InterleaveUpper(four, a, b), out + 16);
      } else {
        const auto a = load(0), b = load(1), c = load(2), e = load(3);
        const auto ab = hn::BitCast(two, hn::InterleaveLower(four, a, b));
        const auto ce = hn::BitCast(two, hn::InterleaveLower(four, c, e));
        put(hn::InterleaveLower(two, ab, ce), out);
        put(hn::InterleaveUpper(two, ab, ce), out + 16);
        const auto high_ab = hn::BitCast(two, hn::InterleaveUpper(four, a, b));
        const auto high_ce = hn::BitCast(two, hn::InterleaveUpper(four, c, e));
        put(hn::InterleaveLower(two, high_ab, high_ce), out + 32);
        put(hn::InterleaveUpper(two, high_ab, high_ce), out + 48);
      }
    }
  }
#endif
  for (; x < width; ++x) {
    for (int64_t r = 0; r < together; ++r) {
      for (int64_t part = 0; part < 4; ++part) *out++ = static_cast<float>(lines[r][x * 4 + part]);
    }
  }
}

// known_taps: the number of taps at compile time, or 0 for any number.
template <bool rounded, int known_taps>
void blend_group(const float* pixels, const ColumnTaps& c, float* const* out) {
  const Wide d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t floats = 4 * together;
  const int64_t taps = known_taps ? known_taps : c.taps;
  const float* weights = c.weights;
  float* rows[together];
  for (int64_t r = 0; r < together; ++r) rows[r] = out[r];
  alignas(64) float sums[floats];
  for (int64_t i = 0; i < c.count; ++i, weights += taps) {
    const float* from = pixels + int64_t{c.first[i]} * floats;
    for (int64_t lane = 0; lane < floats; lane += lanes) {
      auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, from + lane));
      for (int64_t t = 1; t < taps; ++t) {
        sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, from + t * floats + lane), sum);
      }
      hn::StoreU(rounded ? whole(sum) : sum, d, sums + lane);
    }
    for (int64_t r = 0; r < together; ++r) std::memcpy(rows[r] + 4 * i, sums + 4 * r, 16);
  }
}

template <bool rounded>
void blend_by_taps(const float* pixels, const ColumnTaps& c, float* const* out) {
  switch (c.taps) {
    case 2:
      return blend_group<rounded, 2>(pixels, c, out);
    case 3:
      return blend_group<rounded, 3>(pixels, c, out);
    case 4:
      return blend_group<rounded, 4>(pixels, c, out);
    case 5:
      return blend_group<rounded, 5>(pixels, c, out);
    default:
      return blend_group<rounded, 0>(pixels, c, out);
  }
}

void blend_pixels_impl(const uint8_t* from, int64_t stride, int64_t rows, int64_t width,
                       const ColumnTaps& columns, bool rounded, float* scratch, float* const* out) {
  for (int64_t row = 0; row < rows; row += together) {
    const uint8_t* lines[together];
    float* group[together];
    // If there are fewer rows, the last one is repeated.
    for (int64_t r = 0; r < together; ++r) {
      const int64_t at = std::min(row + r, rows - 1);
      lines[r] = from + at * stride;
      group[r] = out[at];
    }
    widen(lines, width, scratch);
    if (rounded) {
      blend_by_taps<true>(scratch, columns, group);
    } else {
      blend_by_taps<false>(scratch, columns, group);
    }
  }
}

HWY_INLINE void put(hn::Vec<Wide> sum, uint8_t* out) {
  const hn::Rebind<uint8_t, Wide> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(hn::Rebind<int32_t, Wide>(), whole(sum))), d8, out);
}
HWY_INLINE void put(hn::Vec<Wide> sum, float* out) { hn::StoreU(sum, Wide(), out); }

template <int known_taps, class T>
HWY_INLINE void sum_rows(const float* const* rows, const float* weights, int64_t any_taps,
                         int64_t begin, int64_t count, T* out) {
  const Wide d;
  const int64_t taps = known_taps ? known_taps : any_taps;
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, rows[0] + begin + i));
    for (int64_t t = 1; t < taps; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, rows[t] + begin + i), sum);
    }
    put(sum, out + i);
  }
}

template <int known_taps, class T>
void blend_rows_by_taps(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                        T* red, T* green, T* blue) {
  constexpr int64_t group = 64;  // pixels
  const hn::CappedTag<T, 16> d;
  alignas(64) T pixels[group * 4 + 64];
  alignas(64) T planes[3][group];
  for (int64_t at = 0; at < count; at += group) {
    const int64_t some = std::min(group, count - at);
    sum_rows<known_taps>(rows, weights, taps, 4 * at, 4 * some, pixels);
    for (int64_t i = 0; i < some; i += static_cast<int64_t>(hn::Lanes(d))) {
      hn::Vec<hn::CappedTag<T, 16>> r, g, b, x;
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

template <class T>
void blend_rows_to(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                   T* red, T* green, T* blue) {
  switch (taps) {
    case 2:
      return blend_rows_by_taps<2>(rows, weights, taps, count, red, green, blue);
    case 3:
      return blend_rows_by_taps<3>(rows, weights, taps, count, red, green, blue);
    case 4:
      return blend_rows_by_taps<4>(rows, weights, taps, count, red, green, blue);
    case 5:
      return blend_rows_by_taps<5>(rows, weights, taps, count, red, green, blue);
    default:
      return blend_rows_by_taps<0>(rows, weights, taps, count, red, green, blue);
  }
}

void blend_rows_bytes(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                      uint8_t* red, uint8_t* green, uint8_t* blue) {
  blend_rows_to(rows, weights, taps, count, red, green, blue);
}

void blend_rows_floats(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                       float* red, float* green, float* blue) {
  blend_rows_to(rows, weights, taps, count, red, green, blue);
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(blend_pixels_impl);
HWY_EXPORT(blend_rows_bytes);
HWY_EXPORT(blend_rows_floats);

void blend_pixels(const uint8_t* from, int64_t stride, int64_t rows, int64_t width,
                  const ColumnTaps& columns, bool rounded, float* scratch, float* const* out) {
  HWY_DYNAMIC_DISPATCH(blend_pixels_impl)
  (from, stride, rows, width, columns, rounded, scratch, out);
}

void blend_rows(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                uint8_t* red, uint8_t* green, uint8_t* blue) {
  HWY_DYNAMIC_DISPATCH(blend_rows_bytes)(rows, weights, taps, count, red, green, blue);
}

void blend_rows(const float* const* rows, const float* weights, int64_t taps, int64_t count,
                float* red, float* green, float* blue) {
  HWY_DYNAMIC_DISPATCH(blend_rows_floats)(rows, weights, taps, count, red, green, blue);
}

}  // namespace convoy::kernels
#endif
