#include "kernels/conv/grouped.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/grouped.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

int64_t lanes_impl() { return static_cast<int64_t>(hn::Lanes(D())); }

template <class T>
HWY_INLINE void spread(const GroupedSpread& s, const T* x, float* rows) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (s.members == 1) {
    for (int64_t at = 0; at < s.pixels * s.block; at += lanes)
      hn::StoreU(load(d, x + at), d, rows + at);
    return;
  }
#if HWY_TARGET != HWY_SCALAR  // one lane: only groups of one channel fit (groups_fit)
  HWY_ALIGN int32_t places[16];
  for (int64_t i = 0; i < s.members; ++i) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      places[lane] = static_cast<int32_t>(lane / s.members * s.members + i);
    }
    const auto from = hn::SetTableIndices(d, places);
    float* to = rows + i * s.stride;
    for (int64_t at = 0; at < s.pixels * s.block; at += lanes) {
      hn::StoreU(hn::TableLookupLanes(load(d, x + at), from), d, to + at);
    }
  }
#endif
}

// `n` neighbouring outputs at once, with one sum in a register for each.
template <int n, class T>
HWY_INLINE void some_outputs(const GroupedRow& r, const float* weights, int64_t p, int64_t lane,
                             T* y) {
  const D d;
  V sum[n];
  HWY_UNROLL(16)
  for (int k = 0; k < n; ++k) sum[k] = hn::Zero(d);
  const int64_t step = r.step * r.block;
  const float* w = weights + lane;
  for (int64_t h = 0; h < r.heights; ++h) {
    for (int64_t i = 0; i < r.members; ++i) {
      const float* row = r.rows[h] + i * r.stride + p * step + lane;
      for (int64_t c = 0; c < r.widths; ++c, w += r.block) {
        const float* x = row + r.columns[c] * r.block;
        const V weight = hn::LoadU(d, w);
        HWY_UNROLL(16)
        for (int k = 0; k < n; ++k) sum[k] = hn::MulAdd(hn::LoadU(d, x + k * step), weight, sum[k]);
      }
    }
  }
  HWY_UNROLL(16)
  for (int k = 0; k < n; ++k) store(sum[k], d, y + (p + k) * r.y_step * r.block + lane);
}

// The last outputs are computed again together with their neighbours instead of one by one.
template <int n, class T>
HWY_INLINE void outputs_by(const GroupedRow& r, const float* weights, int64_t lane, T* y) {
  int64_t p = 0;
  for (; p + n <= r.count; p += n) some_outputs<n>(r, weights, p, lane, y);
  if (p < r.count) some_outputs<n>(r, weights, r.count - n, lane, y);
}

template <class T>
HWY_INLINE void outputs(const GroupedRow& r, const float* weights, T* y) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  for (int64_t lane = 0; lane < r.block; lane += lanes) {
    if (r.count >= 14) {
      outputs_by<14>(r, weights, lane, y);
    } else if (r.count >= 7) {
      outputs_by<7>(r, weights, lane, y);
    } else if (r.count >= 4) {
      outputs_by<4>(r, weights, lane, y);
    } else {
      outputs_by<1>(r, weights, lane, y);
    }
  }
}

// `n` neighbouring sums (of the flattened [heights][members][widths]) over the whole row.
template <int n, class T>
HWY_INLINE void some_sums(const GroupedRow& r, const T* d_y, int64_t first, int64_t lane,
                          float* sums) {
  const D d;
  const float* from[n];
  V sum[n];
  HWY_UNROLL(16)
  for (int k = 0; k < n; ++k) {
    const int64_t tap = first + k, c = tap % r.widths, i = tap / r.widths % r.members;
    from[k] = r.rows[tap / r.widths / r.members] + i * r.stride + r.columns[c] * r.block + lane;
    sum[k] = hn::LoadU(d, sums + tap * r.block + lane);
  }
  const T* g = d_y + lane;
  const int64_t step = r.step * r.block;
  for (int64_t at = 0, p = 0; p < r.count; ++p, at += step, g += r.y_step * r.block) {
    const V arrived = load(d, g);
    HWY_UNROLL(16)
    for (int k = 0; k < n; ++k) sum[k] = hn::MulAdd(hn::LoadU(d, from[k] + at), arrived, sum[k]);
  }
  HWY_UNROLL(16)
  for (int k = 0; k < n; ++k) hn::StoreU(sum[k], d, sums + (first + k) * r.block + lane);
}

template <class T>
HWY_INLINE void row_sums(const GroupedRow& r, const T* d_y, float* sums) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  const int64_t taps = r.heights * r.members * r.widths;
  for (int64_t lane = 0; lane < r.block; lane += lanes) {
    int64_t t = 0;
    for (; t + 12 <= taps; t += 12) some_sums<12>(r, d_y, t, lane, sums);
    for (; t + 9 <= taps; t += 9) some_sums<9>(r, d_y, t, lane, sums);
    for (; t + 3 <= taps; t += 3) some_sums<3>(r, d_y, t, lane, sums);
    for (; t < taps; ++t) some_sums<1>(r, d_y, t, lane, sums);
  }
}

void spread_f32(const GroupedSpread& s, const float* x, float* rows) { spread(s, x, rows); }
void spread_bf16(const GroupedSpread& s, const Bf16* x, float* rows) { spread(s, x, rows); }
void spread_f16(const GroupedSpread& s, const F16* x, float* rows) { spread(s, x, rows); }
void row_f32(const GroupedRow& r, const float* weights, float* y) { outputs(r, weights, y); }
void row_bf16(const GroupedRow& r, const float* weights, Bf16* y) { outputs(r, weights, y); }
void row_f16(const GroupedRow& r, const float* weights, F16* y) { outputs(r, weights, y); }
void grad_f32(const GroupedRow& r, const float* d_y, float* sums) { row_sums(r, d_y, sums); }
void grad_bf16(const GroupedRow& r, const Bf16* d_y, float* sums) { row_sums(r, d_y, sums); }
void grad_f16(const GroupedRow& r, const F16* d_y, float* sums) { row_sums(r, d_y, sums); }

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(lanes_impl);
HWY_EXPORT(spread_f32);
HWY_EXPORT(spread_bf16);
HWY_EXPORT(spread_f16);
HWY_EXPORT(row_f32);
HWY_EXPORT(row_bf16);
HWY_EXPORT(row_f16);
HWY_EXPORT(grad_f32);
HWY_EXPORT(grad_bf16);
HWY_EXPORT(grad_f16);

bool groups_fit(int64_t members, int64_t block) {
  const int64_t lanes = std::min(block, HWY_DYNAMIC_DISPATCH(lanes_impl)());
  return lanes % members == 0;
}
void grouped_spread(const GroupedSpread& s, const float* x, float* rows) {
  HWY_DYNAMIC_DISPATCH(spread_f32)(s, x, rows);
}
void grouped_spread(const GroupedSpread& s, const Bf16* x, float* rows) {
  HWY_DYNAMIC_DISPATCH(spread_bf16)(s, x, rows);
}
void grouped_spread(const GroupedSpread& s, const F16* x, float* rows) {
  HWY_DYNAMIC_DISPATCH(spread_f16)(s, x, rows);
}
void grouped_row(const GroupedRow& r, const float* weights, float* y) {
  HWY_DYNAMIC_DISPATCH(row_f32)(r, weights, y);
}
void grouped_row(const GroupedRow& r, const float* weights, Bf16* y) {
  HWY_DYNAMIC_DISPATCH(row_bf16)(r, weights, y);
}
void grouped_row(const GroupedRow& r, const float* weights, F16* y) {
  HWY_DYNAMIC_DISPATCH(row_f16)(r, weights, y);
}
void grouped_row_grad(const GroupedRow& r, const float* d_y, float* sums) {
  HWY_DYNAMIC_DISPATCH(grad_f32)(r, d_y, sums);
}
void grouped_row_grad(const GroupedRow& r, const Bf16* d_y, float* sums) {
  HWY_DYNAMIC_DISPATCH(grad_bf16)(r, d_y, sums);
}
void grouped_row_grad(const GroupedRow& r, const F16* d_y, float* sums) {
  HWY_DYNAMIC_DISPATCH(grad_f16)(r, d_y, sums);
}

}  // namespace convoy::kernels
#endif
