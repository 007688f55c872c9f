#include "kernels/conv/grouped_pairs.h"

#include "base/error.h"

#if defined(__x86_64__)
#include "kernels/avx512_bf16.h"

namespace convoy::kernels {
namespace {

constexpr int64_t lanes = 16;

CONVOY_BF16_INLINE __m512bh pairs_at(const Bf16Pair* from) {
  return reinterpret_cast<__m512bh>(_mm512_loadu_si512(from));
}
CONVOY_BF16_INLINE const Bf16Pair* row_of(const GroupedRow& r, int64_t h) {
  return reinterpret_cast<const Bf16Pair*>(r.rows[h]);
}

CONVOY_BF16_INLINE __m256i pixel_at(const Bf16* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

CONVOY_BF16_INLINE void store_rounded(__m512 sum, Bf16* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(sum)));
}

// `n` neighbouring outputs at once, with one sum in a register for each.
template <int n>
CONVOY_BF16_INLINE void some_outputs(const GroupedRow& r, const Bf16Pair* w, int64_t p, Bf16* y) {
  __m512 sum[n];
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) sum[k] = _mm512_setzero_ps();
  const int64_t step = r.step * lanes;
  for (int64_t h = 0; h < r.heights; ++h) {
    for (int64_t j = 0; j < r.members; ++j) {
      const Bf16Pair* row = row_of(r, h) + j * r.stride + p * step;
      for (int64_t c = 0; c < r.widths; ++c, w += lanes) {
        const Bf16Pair* x = row + r.columns[c] * lanes;
        const __m512bh weight = pairs_at(w);
#pragma GCC unroll 16
        for (int k = 0; k < n; ++k) {
          sum[k] = _mm512_dpbf16_ps(sum[k], weight, pairs_at(x + k * step));
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) store_rounded(sum[k], y + (p + k) * r.y_step * lanes);
}

// The last outputs are computed again together with their neighbours instead of one by one.
template <int n>
CONVOY_BF16 void outputs_by(const GroupedRow& r, const Bf16Pair* w, Bf16* y) {
  int64_t p = 0;
  for (; p + n <= r.count; p += n) some_outputs<n>(r, w, p, y);
  if (p < r.count) some_outputs<n>(r, w, r.count - n, y);
}

// `n` neighbouring sums (of the flattened [heights][members][widths]) over the whole row.
template <int n>
CONVOY_BF16_INLINE void some_sums(const GroupedRow& r, const Bf16* d_y, int64_t first,
                                  float* sums) {
  const Bf16Pair* from[n];
  __m512 sum[n];
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) {
    const int64_t tap = first + k, c = tap % r.widths, i = tap / r.widths % r.members;
    from[k] = row_of(r, tap / r.widths / r.members) + i * r.stride + r.columns[c] * lanes;
    sum[k] = _mm512_loadu_ps(sums + tap * lanes);
  }
  const int64_t step = r.step * lanes, y_step = r.y_step * lanes;
  for (int64_t at = 0, p = 0; p < r.count; p += 2, at += 2 * step, d_y += 2 * y_step) {
    __m512i arrived = _mm512_cvtepu16_epi32(pixel_at(d_y));
    if (p + 1 < r.count) {
      const __m512i second = _mm512_cvtepu16_epi32(pixel_at(d_y + y_step));
      arrived = _mm512_or_si512(arrived, _mm512_slli_epi32(second, 16));
    }
#pragma GCC unroll 16
    for (int k = 0; k < n; ++k) {
      sum[k] =
          _mm512_dpbf16_ps(sum[k], reinterpret_cast<__m512bh>(arrived), pairs_at(from[k] + at));
    }
  }
#pragma GCC unroll 16
  for (int k = 0; k < n; ++k) _mm512_storeu_ps(sums + (first + k) * lanes, sum[k]);
}

CONVOY_BF16_INLINE __m256i pixel_or_zeros(const GroupedSpread& s, const Bf16* x, int64_t p) {
  return p < 0 || p >= s.pixels ? _mm256_setzero_si256() : pixel_at(x + p * lanes);
}

}  // namespace

CONVOY_BF16 void grouped_spread_channels(const GroupedSpread& s, const Bf16* x, Bf16Pair* rows) {
  alignas(64) int32_t places[lanes];
  for (int64_t j = 0; j < s.members; ++j) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      places[lane] = static_cast<int32_t>(lane / (2 * s.members) * s.members + j);
    }
    const __m512i from = _mm512_load_si512(places);
    Bf16Pair* to = rows + j * s.stride;
    for (int64_t p = 0; p < s.pixels; ++p) {
      const __m512i pairs = _mm512_castsi256_si512(pixel_at(x + p * lanes));
      _mm512_storeu_si512(to + p * lanes, _mm512_permutexvar_epi32(from, pairs));
    }
  }
}

CONVOY_BF16 void grouped_pairs_row(const GroupedRow& r, const Bf16Pair* weights, Bf16* y) {
  if (r.count >= 14) {
    outputs_by<14>(r, weights, y);
  } else if (r.count >= 7) {
    outputs_by<7>(r, weights, y);
  } else if (r.count >= 4) {
    outputs_by<4>(r, weights, y);
  } else {
    outputs_by<1>(r, weights, y);
  }
}

namespace {

// `copies` channels of each group; every pair of pixels is loaded once.
template <int copies>
CONVOY_BF16 void spread_pixels(const GroupedSpread& s, const GroupedMargins& m, const Bf16* x,
                               Bf16Pair* rows) {
  // Of 32 numbers, the first half is pixel p, the second half pixel p + step.
  __m512i from[copies];
#pragma GCC unroll 16
  for (int i = 0; i < copies; ++i) {
    alignas(64) int16_t places[2 * lanes];
    for (int64_t lane = 0; lane < lanes; ++lane) {
      places[2 * lane] = static_cast<int16_t>(lane / copies * copies + i);
      places[2 * lane + 1] = static_cast<int16_t>(lanes + places[2 * lane]);
    }
    from[i] = _mm512_load_si512(places);
  }
  for (int64_t p = -m.before; p < s.pixels + m.behind; ++p, rows += lanes) {
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(pixel_or_zeros(s, x, p)),
                                            pixel_or_zeros(s, x, p + m.step), 1);
#pragma GCC unroll 16
    for (int i = 0; i < copies; ++i)
      _mm512_storeu_si512(rows + i * s.stride, _mm512_permutexvar_epi16(from[i], both));
  }
}

}  // namespace

CONVOY_BF16 void grouped_spread_pixels(const GroupedSpread& s, const GroupedMargins& m,
                                       const Bf16* x, Bf16Pair* rows) {
  switch (s.members) {
    case 1:
      return spread_pixels<1>(s, m, x, rows);
    case 2:
      return spread_pixels<2>(s, m, x, rows);
    case 4:
      return spread_pixels<4>(s, m, x, rows);
    case 8:
      return spread_pixels<8>(s, m, x, rows);
    default:
      return spread_pixels<16>(s, m, x, rows);
  }
}

CONVOY_BF16 void grouped_pairs_row_grad(const GroupedRow& r, const Bf16* d_y, float* sums) {
  const int64_t taps = r.heights * r.members * r.widths;
  int64_t t = 0;
  for (; t + 12 <= taps; t += 12) some_sums<12>(r, d_y, t, sums);
  for (; t + 9 <= taps; t += 9) some_sums<9>(r, d_y, t, sums);
  for (; t + 3 <= taps; t += 3) some_sums<3>(r, d_y, t, sums);
  for (; t < taps; ++t) some_sums<1>(r, d_y, t, sums);
}

}  // namespace convoy::kernels

#else

namespace convoy::kernels {

void grouped_spread_channels(const GroupedSpread&, const Bf16*, Bf16Pair*) {
  expect(false, "a CPU that multiplies bf16");
}
void grouped_pairs_row(const GroupedRow&, const Bf16Pair*, Bf16*) {
  expect(false, "a CPU that multiplies bf16");
}
void grouped_spread_pixels(const GroupedSpread&, const GroupedMargins&, const Bf16*, Bf16Pair*) {
  expect(false, "a CPU that multiplies bf16");
}
void grouped_pairs_row_grad(const GroupedRow&, const Bf16*, float*) {
  expect(false, "a CPU that multiplies bf16");
}

}  // namespace convoy::kernels

#endif
