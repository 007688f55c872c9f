#include "kernels/pool.h"

#ifndef CONVOY_KERNELS_POOL_LOOPS
#define CONVOY_KERNELS_POOL_LOOPS
namespace convoy::kernels {
namespace {

// The loops of one ISA level.
template <class T>
struct Pools {
  void (*max)(const PoolPlane&, const T*, T*, uint8_t*);
  void (*max_grad)(const PoolPlane&, const T*, const uint8_t*, T*);
  void (*avg)(const PoolPlane&, bool, const T*, T*);
  void (*avg_grad)(const PoolPlane&, bool, const T*, T*);
};

}  // namespace
}  // namespace convoy::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include <algorithm>
#include <limits>

#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<D>;
using DU8 = hn::Rebind<uint8_t, D>;
using V = hn::Vec<D>;

// The positions of a window that are inside the image.
struct Window {
  int64_t top, left, row_begin, row_end, col_begin, col_end;

  Window(const PoolPlane& p, int64_t oh, int64_t ow)
      : top(oh * p.stride - p.pad_top),
        left(ow * p.stride - p.pad_left),
        row_begin(std::max<int64_t>(0, -top)),
        row_end(std::min(p.size_h, p.in_h - top)),
        col_begin(std::max<int64_t>(0, -left)),
        col_end(std::min(p.size_w, p.in_w - left)) {}
  int64_t pixels() const {
    return std::max<int64_t>(0, row_end - row_begin) * std::max<int64_t>(0, col_end - col_begin);
  }
};

// Calls f(position in the window, offset of the pixel in the plane) for the pixels inside the
// image.
template <class F>
HWY_INLINE void over_window(const PoolPlane& p, const Window& w, const F& f) {
  for (int64_t r = w.row_begin; r < w.row_end; ++r) {
    for (int64_t c = w.col_begin; c < w.col_end; ++c) {
      f(r * p.size_w + c, ((w.top + r) * p.in_w + w.left + c) * p.block);
    }
  }
}

// Calls f(row of y, column of y, position in that window) for the windows that contain pixel
// (h, w), in the order of y.
template <class F>
HWY_INLINE void over_windows_of(const PoolPlane& p, int64_t h, int64_t w, const F& f) {
  const auto first = [&](int64_t at, int64_t size) {  // of those that reach `at`
    return at < size ? int64_t{0} : (at - size) / p.stride + 1;
  };
  const int64_t row = h + p.pad_top, column = w + p.pad_left;
  for (int64_t oh = first(row, p.size_h); oh < p.out_h && oh * p.stride <= row; ++oh) {
    for (int64_t ow = first(column, p.size_w); ow < p.out_w && ow * p.stride <= column; ++ow) {
      f(oh, ow, (row - oh * p.stride) * p.size_w + column - ow * p.stride);
    }
  }
}

template <class T>
void max_of(const PoolPlane& p, const T* x, T* y, uint8_t* where) {
  const D d;
  const DI di;
  const DU8 du8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t oh = 0; oh < p.out_h; ++oh) {
    for (int64_t ow = 0; ow < p.out_w; ++ow) {
      const Window w(p, oh, ow);
      const int64_t out = (oh * p.out_w + ow) * p.block;
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        V best = hn::Set(d, -std::numeric_limits<float>::infinity());
        auto at = hn::Set(di, static_cast<int32_t>(w.row_begin * p.size_w + w.col_begin));
        over_window(p, w, [&](int64_t position, int64_t pixel) HWY_ATTR {
          const V v = load(d, x + pixel + lane);
          // A NaN is larger than any number, and the first NaN keeps its position.
          const auto wins = hn::Or(hn::Gt(v, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(v)));
          best = hn::IfThenElse(wins, v, best);
          at = hn::IfThenElse(hn::RebindMask(di, wins), hn::Set(di, static_cast<int32_t>(position)),
                              at);
        });
        store(best, d, y + out + lane);
        hn::StoreU(hn::DemoteTo(du8, at), du8, where + out + lane);
      }
    }
  }
}

// Goes through the pixels of d_x, not of d_y: each is summed in fp32 and stored once.
template <class T>
void max_grad_of(const PoolPlane& p, const T* d_y, const uint8_t* where, T* d_x) {
  const D d;
  const DI di;
  const DU8 du8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t h = 0; h < p.in_h; ++h) {
    for (int64_t w = 0; w < p.in_w; ++w, d_x += p.block) {
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        V sum = hn::Zero(d);
        over_windows_of(p, h, w, [&](int64_t oh, int64_t ow, int64_t position) HWY_ATTR {
          const int64_t out = (oh * p.out_w + ow) * p.block + lane;
          const auto at = hn::PromoteTo(di, hn::LoadU(du8, where + out));
          const auto here =
              hn::RebindMask(d, hn::Eq(at, hn::Set(di, static_cast<int32_t>(position))));
          sum = hn::Add(sum, hn::IfThenElseZero(here, load(d, d_y + out)));
        });
        store(sum, d, d_x + lane);
      }
    }
  }
}

HWY_INLINE float share_of(const PoolPlane& p, bool count_padding, int64_t oh, int64_t ow) {
  const int64_t pixels = count_padding ? p.size_h * p.size_w : Window(p, oh, ow).pixels();
  return 1.0f / static_cast<float>(pixels);
}

template <class T>
void avg_of(const PoolPlane& p, bool count_padding, const T* x, T* y) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t oh = 0; oh < p.out_h; ++oh) {
    for (int64_t ow = 0; ow < p.out_w; ++ow) {
      const Window w(p, oh, ow);
      const float share = share_of(p, count_padding, oh, ow);
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        V sum = hn::Zero(d);
        over_window(p, w, [&](int64_t, int64_t pixel) HWY_ATTR {
          sum = hn::Add(sum, load(d, x + pixel + lane));
        });
        store(hn::Mul(sum, hn::Set(d, share)), d, y + (oh * p.out_w + ow) * p.block + lane);
      }
    }
  }
}

template <class T>
void avg_grad_of(const PoolPlane& p, bool count_padding, const T* d_y, T* d_x) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t h = 0; h < p.in_h; ++h) {
    for (int64_t w = 0; w < p.in_w; ++w, d_x += p.block) {
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        V sum = hn::Zero(d);
        over_windows_of(p, h, w, [&](int64_t oh, int64_t ow, int64_t) HWY_ATTR {
          const V g = load(d, d_y + (oh * p.out_w + ow) * p.block + lane);
          sum = hn::Add(sum, hn::Mul(g, hn::Set(d, share_of(p, count_padding, oh, ow))));
        });
        store(sum, d, d_x + lane);
      }
    }
  }
}

template <class T>
constexpr Pools<T> pools_of{
    .max = max_of<T>, .max_grad = max_grad_of<T>, .avg = avg_of<T>, .avg_grad = avg_grad_of<T>};
const Pools<float>& pools_f32() { return pools_of<float>; }
const Pools<Bf16>& pools_bf16() { return pools_of<Bf16>; }
const Pools<F16>& pools_f16() { return pools_of<F16>; }

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(pools_f32);
HWY_EXPORT(pools_bf16);
HWY_EXPORT(pools_f16);

template <class T>
const Pools<T>& pools() {
  if constexpr (dtype_of<T> == DType::bf16) {
    return HWY_DYNAMIC_DISPATCH(pools_bf16)();
  } else if constexpr (dtype_of<T> == DType::f16) {
    return HWY_DYNAMIC_DISPATCH(pools_f16)();
  } else {
    return HWY_DYNAMIC_DISPATCH(pools_f32)();
  }
}

template <class T>
void max_pool(const PoolPlane& p, const T* x, T* y, uint8_t* where) {
  pools<T>().max(p, x, y, where);
}
template <class T>
void max_pool_grad(const PoolPlane& p, const T* d_y, const uint8_t* where, T* d_x) {
  pools<T>().max_grad(p, d_y, where, d_x);
}
template <class T>
void avg_pool(const PoolPlane& p, bool count_padding, const T* x, T* y) {
  pools<T>().avg(p, count_padding, x, y);
}
template <class T>
void avg_pool_grad(const PoolPlane& p, bool count_padding, const T* d_y, T* d_x) {
  pools<T>().avg_grad(p, count_padding, d_y, d_x);
}

template void max_pool(const PoolPlane&, const float*, float*, uint8_t*);
template void max_pool(const PoolPlane&, const Bf16*, Bf16*, uint8_t*);
template void max_pool(const PoolPlane&, const F16*, F16*, uint8_t*);
template void max_pool_grad(const PoolPlane&, const float*, const uint8_t*, float*);
template void max_pool_grad(const PoolPlane&, const Bf16*, const uint8_t*, Bf16*);
template void max_pool_grad(const PoolPlane&, const F16*, const uint8_t*, F16*);
template void avg_pool(const PoolPlane&, bool, const float*, float*);
template void avg_pool(const PoolPlane&, bool, const Bf16*, Bf16*);
template void avg_pool(const PoolPlane&, bool, const F16*, F16*);
template void avg_pool_grad(const PoolPlane&, bool, const float*, float*);
template void avg_pool_grad(const PoolPlane&, bool, const Bf16*, Bf16*);
template void avg_pool_grad(const PoolPlane&, bool, const F16*, F16*);

}  // namespace convoy::kernels
#endif
