#include "base/error.h"
#include "kernels/speed.h"

#if defined(__x86_64__)
#include "kernels/avx512_bf16.h"

namespace convoy::kernels {

CONVOY_BF16 double burn_bf16(int64_t rounds, float* sink) {
  constexpr int chains = 12;
  // 0.5 and 2 to the power of -7: the sums grow by 1/128 and stay exact.
  const auto a = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3f00));
  const auto b = reinterpret_cast<__m512bh>(_mm512_set1_epi16(0x3c00));
  __m512 sum[chains];
#pragma GCC unroll 12
  for (int k = 0; k < chains; ++k) sum[k] = _mm512_set1_ps(static_cast<float>(k));
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int k = 0; k < chains; ++k) sum[k] = _mm512_dpbf16_ps(sum[k], a, b);
  }
#pragma GCC unroll 12
  for (int k = 1; k < chains; ++k) sum[0] = _mm512_add_ps(sum[0], sum[k]);
  *sink = _mm512_cvtss_f32(sum[0]);
  return static_cast<double>(rounds) * chains * 2 * 32;
}

}  // namespace convoy::kernels

#else

namespace convoy::kernels {

double burn_bf16(int64_t, float*) {
  expect(false, "a CPU that multiplies bf16");
  return 0;
}

}  // namespace convoy::kernels

#endif
