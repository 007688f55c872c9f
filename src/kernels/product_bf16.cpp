#include "kernels/product_bf16.h"

#include "base/error.h"

#if defined(__x86_64__)
#include "kernels/avx512_bf16.h"

namespace convoy::kernels {
namespace {

constexpr int64_t lanes = 16;

// `rows` channels of a times `vectors` blocks of b; every loop over the sums is unrolled.
// Prefetches a cache line of `next` for each pair of pixels.
template <int rows, int vectors>
CONVOY_BF16 void tile(const PixelProduct& p, const uint32_t* a, const uint32_t* b, float* c,
                      const char* next) {
  __m512 sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) {
      sum[i][j] = p.add ? _mm512_loadu_ps(c + i * p.c_row + j * lanes) : _mm512_setzero_ps();
    }
  }
  for (int64_t k = 0; k < p.pairs; ++k, a += lanes, b += lanes, next += 64) {
    _mm_prefetch(next, _MM_HINT_T1);
    __m512bh column[vectors];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j)
      column[j] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + j * p.b_block));
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const auto factor = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[i])));
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], factor, column[j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) _mm512_storeu_ps(c + i * p.c_row + j * lanes, sum[i][j]);
  }
}

// What the tiles prefetch, one address each; b again when there is nothing left.
struct Ahead {
  std::span<const Bf16* const> next;
  size_t at = 0;
  const char* take(const uint32_t* otherwise) {
    return at < next.size() ? reinterpret_cast<const char*>(next[at++])
                            : reinterpret_cast<const char*>(otherwise);
  }
};

// All channels of a block of a: 6, 5 and 5 at once.
template <int vectors>
CONVOY_BF16 void columns(const PixelProduct& p, const uint32_t* a, const uint32_t* b, float* c,
                         Ahead& ahead) {
  for (int64_t block = 0; block < p.a_blocks; ++block, a += p.a_block, c += lanes * p.c_row) {
    tile<6, vectors>(p, a, b, c, ahead.take(b));
    tile<5, vectors>(p, a + 6, b, c + 6 * p.c_row, ahead.take(b));
    tile<5, vectors>(p, a + 11, b, c + 11 * p.c_row, ahead.take(b));
  }
}

}  // namespace

CONVOY_BF16 void pair_pixels(const Bf16* from, int64_t pixels, int64_t step, uint32_t* to) {
  alignas(64) int16_t places[2 * lanes];
  for (int16_t lane = 0; lane < lanes; ++lane) {
    places[2 * lane] = lane;
    places[2 * lane + 1] = static_cast<int16_t>(lanes + lane);
  }
  const __m512i order = _mm512_load_si512(places);
  int64_t i = 0;
  for (; i + 2 <= pixels; i += 2, to += lanes) {
    const auto* first = reinterpret_cast<const __m256i*>(from + i * step * lanes);
    const auto* second = reinterpret_cast<const __m256i*>(from + (i + 1) * step * lanes);
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(first)),
                                            _mm256_loadu_si256(second), 1);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi16(order, both));
  }
  if (i == pixels) return;
  const auto* last = reinterpret_cast<const __m256i*>(from + i * step * lanes);
  _mm512_storeu_si512(to, _mm512_cvtepu16_epi32(_mm256_loadu_si256(last)));
}

CONVOY_BF16 void product_of_pixels(const PixelProduct& p, const uint32_t* a, const uint32_t* b,
                                   float* c) {
  Ahead ahead{p.next};
  int64_t j = 0;
  const auto columns_at = [&](auto body) { body(p, a, b + j * p.b_block, c + j * lanes, ahead); };
  for (; j + 4 <= p.b_blocks; j += 4) columns_at(columns<4>);
  for (; j + 2 <= p.b_blocks; j += 2) columns_at(columns<2>);
  if (j < p.b_blocks) columns_at(columns<1>);
}

}  // namespace convoy::kernels

#else

namespace convoy::kernels {

void pair_pixels(const Bf16*, int64_t, int64_t, uint32_t*) {
  expect(false, "a CPU that multiplies bf16");
}
void product_of_pixels(const PixelProduct&, const uint32_t*, const uint32_t*, float*) {
  expect(false, "a CPU that multiplies bf16");
}

}  // namespace convoy::kernels

#endif
