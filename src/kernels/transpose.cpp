#include "kernels/transpose.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transpose.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

#if HWY_TARGET == HWY_SCALAR  // has no lanes to shuffle

void transpose_impl(const Transpose& t, const float* from, float* to) {
  for (int64_t j = 0; j < t.columns; ++j) {
    for (int64_t i = 0; i < t.block; ++i) {
      to[j * t.to_stride + i] = i < t.rows ? from[i * t.from_stride + j] : 0;
    }
  }
}

#else

constexpr int64_t lanes = hn::MaxLanes(D());

// Transposes 4x4 elements in every 128 bits.
HWY_INLINE void four_rows(V a, V b, V c, V e, V* out) {
  const D d;
  const hn::Repartition<double, D> pairs;
  const auto two = [&](V v) HWY_ATTR { return hn::BitCast(pairs, v); };
  const V low = hn::InterleaveLower(a, b), high = hn::InterleaveUpper(d, a, b);
  const V low2 = hn::InterleaveLower(c, e), high2 = hn::InterleaveUpper(d, c, e);
  out[0] = hn::BitCast(d, hn::InterleaveLower(two(low), two(low2)));
  out[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, two(low), two(low2)));
  out[2] = hn::BitCast(d, hn::InterleaveLower(two(high), two(high2)));
  out[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, two(high), two(high2)));
}

// q[g][m] has, in its 128-bit part b, column 4 b + m of rows 4 g ... 4 g + 3.
template <class Put>
HWY_INLINE void join(V (*q)[4], int m, const Put& put) {
  const D d;
  if constexpr (lanes == 16) {
    const auto even = [](V a, V b)
                          HWY_ATTR { return hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a); };
    const auto odd = [](V a, V b)
                         HWY_ATTR { return hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)); };
    const V e = even(q[0][m], q[1][m]), e2 = even(q[2][m], q[3][m]);
    const V o = odd(q[0][m], q[1][m]), o2 = odd(q[2][m], q[3][m]);
    put(m, hn::ConcatLowerLower(d, e2, e));
    put(m + 4, hn::ConcatLowerLower(d, o2, o));
    put(m + 8, hn::ConcatUpperUpper(d, e2, e));
    put(m + 12, hn::ConcatUpperUpper(d, o2, o));
  } else if constexpr (lanes == 8) {
    put(m, hn::ConcatLowerLower(d, q[1][m], q[0][m]));
    put(m + 4, hn::ConcatUpperUpper(d, q[1][m], q[0][m]));
  } else {
    put(m, q[0][m]);
  }
}

// Transposes up to `lanes` columns of up to `lanes` rows.
HWY_INLINE void square(int64_t rows, int64_t columns, const float* from, int64_t from_stride,
                       float* to, int64_t to_stride) {
  const D d;
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns));
  const auto row = [&](int64_t i) HWY_ATTR {
    if (i >= rows) return hn::Zero(d);
    if constexpr (lanes > 4) return hn::MaskedLoad(mask, d, from + i * from_stride);
    HWY_ALIGN float some[lanes] = {};  // a masked load of 128 bits would read the rest too
    std::copy_n(from + i * from_stride, columns, some);
    return hn::Load(d, some);
  };
  V q[(lanes + 3) / 4][4];
  for (int64_t g = 0; g < lanes / 4; ++g) {
    four_rows(row(4 * g), row(4 * g + 1), row(4 * g + 2), row(4 * g + 3), q[g]);
  }
  for (int m = 0; m < 4; ++m) {
    join(q, m, [&](int64_t j, V v) HWY_ATTR {
      if (j < columns) hn::StoreU(v, d, to + j * to_stride);
    });
  }
}

void transpose_impl(const Transpose& t, const float* from, float* to) {
  for (int64_t i = 0; i < t.block; i += lanes) {
    for (int64_t j = 0; j < t.columns; j += lanes) {
      square(t.rows - i, std::min(lanes, t.columns - j), from + i * t.from_stride + j,
             t.from_stride, to + j * t.to_stride + i, t.to_stride);
    }
  }
}

#endif

void interleave_bf16_impl(const float* a, const float* b, int64_t block, int64_t vectors,
                          const int64_t* places, Bf16* to) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t v = 0; v < vectors; ++v, a += block, b += block) {
    auto* pairs = reinterpret_cast<uint32_t*>(to + places[v]);
    for (int64_t lane = 0; lane < block; lane += step) {
      const auto low = hn::BitCast(du, rounded_to_bf16(d, hn::LoadU(d, a + lane)));
      const auto high = hn::BitCast(du, rounded_to_bf16(d, hn::LoadU(d, b + lane)));
      hn::StoreU(hn::Or(hn::ShiftRight<16>(low), high), du, pairs + lane);
    }
  }
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(transpose_impl);
HWY_EXPORT(interleave_bf16_impl);

void transpose(const Transpose& t, const float* from, float* to) {
  HWY_DYNAMIC_DISPATCH(transpose_impl)(t, from, to);
}

void interleave_bf16(const float* a, const float* b, int64_t block, int64_t vectors,
                     const int64_t* places, Bf16* to) {
  HWY_DYNAMIC_DISPATCH(interleave_bf16_impl)(a, b, block, vectors, places, to);
}

}  // namespace convoy::kernels
#endif
