#include "kernels/pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

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

void max_pool_impl(const PoolPlane& p, const float* x, float* y, uint8_t* where) {
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
          const V v = hn::LoadU(d, x + pixel + lane);
          // A NaN is larger than any number, and the first NaN keeps its position.
          const auto wins = hn::Or(hn::Gt(v, best), hn::AndNot(hn::IsNaN(best), hn::IsNaN(v)));
          best = hn::IfThenElse(wins, v, best);
          at = hn::IfThenElse(hn::RebindMask(di, wins), hn::Set(di, static_cast<int32_t>(position)),
                              at);
        });
        hn::StoreU(best, d, y + out + lane);
        hn::StoreU(hn::DemoteTo(du8, at), du8, where + out + lane);
      }
    }
  }
}

void max_pool_grad_impl(const PoolPlane& p, const float* d_y, const uint8_t* where, float* d_x) {
  const D d;
  const DI di;
  const DU8 du8;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  std::fill_n(d_x, p.in_h * p.in_w * p.block, 0.0f);
  for (int64_t oh = 0; oh < p.out_h; ++oh) {
    for (int64_t ow = 0; ow < p.out_w; ++ow) {
      const Window w(p, oh, ow);
      const int64_t out = (oh * p.out_w + ow) * p.block;
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        const V g = hn::LoadU(d, d_y + out + lane);
        const auto at = hn::PromoteTo(di, hn::LoadU(du8, where + out + lane));
        over_window(p, w, [&](int64_t position, int64_t pixel) HWY_ATTR {
          const auto here =
              hn::RebindMask(d, hn::Eq(at, hn::Set(di, static_cast<int32_t>(position))));
          float* target = d_x + pixel + lane;
          hn::StoreU(hn::Add(hn::LoadU(d, target), hn::IfThenElseZero(here, g)), d, target);
        });
      }
    }
  }
}

void avg_pool_impl(const PoolPlane& p, bool count_padding, const float* x, float* y) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t oh = 0; oh < p.out_h; ++oh) {
    for (int64_t ow = 0; ow < p.out_w; ++ow) {
      const Window w(p, oh, ow);
      const float share =
          1.0f / static_cast<float>(count_padding ? p.size_h * p.size_w : w.pixels());
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        V sum = hn::Zero(d);
        over_window(p, w, [&](int64_t, int64_t pixel) HWY_ATTR {
          sum = hn::Add(sum, hn::LoadU(d, x + pixel + lane));
        });
        hn::StoreU(hn::Mul(sum, hn::Set(d, share)), d, y + (oh * p.out_w + ow) * p.block + lane);
      }
    }
  }
}

void avg_pool_grad_impl(const PoolPlane& p, bool count_padding, const float* d_y, float* d_x) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  std::fill_n(d_x, p.in_h * p.in_w * p.block, 0.0f);
  for (int64_t oh = 0; oh < p.out_h; ++oh) {
    for (int64_t ow = 0; ow < p.out_w; ++ow) {
      const Window w(p, oh, ow);
      const float share =
          1.0f / static_cast<float>(count_padding ? p.size_h * p.size_w : w.pixels());
      for (int64_t lane = 0; lane < p.block; lane += lanes) {
        const V g =
            hn::Mul(hn::LoadU(d, d_y + (oh * p.out_w + ow) * p.block + lane), hn::Set(d, share));
        over_window(p, w, [&](int64_t, int64_t pixel) HWY_ATTR {
          float* target = d_x + pixel + lane;
          hn::StoreU(hn::Add(hn::LoadU(d, target), g), d, target);
        });
      }
    }
  }
}

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(max_pool_impl);
HWY_EXPORT(max_pool_grad_impl);
HWY_EXPORT(avg_pool_impl);
HWY_EXPORT(avg_pool_grad_impl);

void max_pool(const PoolPlane& p, const float* x, float* y, uint8_t* where) {
  HWY_DYNAMIC_DISPATCH(max_pool_impl)(p, x, y, where);
}
void max_pool_grad(const PoolPlane& p, const float* d_y, const uint8_t* where, float* d_x) {
  HWY_DYNAMIC_DISPATCH(max_pool_grad_impl)(p, d_y, where, d_x);
}
void avg_pool(const PoolPlane& p, bool count_padding, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(avg_pool_impl)(p, count_padding, x, y);
}
void avg_pool_grad(const PoolPlane& p, bool count_padding, const float* d_y, float* d_x) {
  HWY_DYNAMIC_DISPATCH(avg_pool_grad_impl)(p, count_padding, d_y, d_x);
}

}  // namespace convoy::kernels
#endif
