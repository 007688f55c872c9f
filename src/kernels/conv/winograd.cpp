#include "kernels/conv/winograd.h"

#ifndef CONVOY_KERNELS_WINOGRAD_ONCE
#define CONVOY_KERNELS_WINOGRAD_ONCE
namespace convoy::kernels {
namespace {
template <class T>
struct Transforms {
  void (*input)(const WinogradPlane&, const T*, int64_t, int64_t, const WinogradField&);
  void (*output)(const WinogradPlane&, const WinogradField&, int64_t, int64_t,
                 const WinogradTail<T>&, T*);
  void (*output_grad)(const WinogradPlane&, const T*, int64_t, int64_t, const WinogradField&);
};

}  // namespace
}  // namespace convoy::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// after highway.h
#include "kernels/conv/winograd_lines-inl.h"
#include "kernels/logistic-inl.h"
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The pixels of a tile: pixels of the image, and zeros around it.
struct Window {
  int64_t top, left, height, width;  // of the image
  HWY_INLINE bool whole(int64_t side) const {
    return top >= 0 && left >= 0 && top + side <= height && left + side <= width;
  }
  HWY_INLINE bool has(int64_t y, int64_t x) const {
    return top + y >= 0 && top + y < height && left + x >= 0 && left + x < width;
  }
};

// Copies side x side pixels, from lane `lane` of each block on, with zeros outside the image.
template <class T>
HWY_INLINE void copy_window(const Window& w, const T* plane, int64_t block, int64_t side,
                            float* to) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t y = 0; y < side; ++y) {
    for (int64_t x = 0; x < side; ++x, to += lanes) {
      const V v =
          w.has(y, x) ? load(d, plane + ((w.top + y) * w.width + w.left + x) * block) : hn::Zero(d);
      hn::StoreU(v, d, to);
    }
  }
}

constexpr int64_t most_points = 36, most_lanes = 16;

// The pixels that a transform to points reads, and its transform along one dimension.
template <int tile>
struct InputPixels {
  static constexpr int64_t count = tile + 2;
  static HWY_INLINE Window window(const WinogradPlane& p, int64_t t) {
    return {t / p.tiles_w() * tile - p.pad_top, t % p.tiles_w() * tile - p.pad_left, p.in_h,
            p.in_w};
  }
  template <class Get, class Put>
  static HWY_INLINE void line(const Get& get, const Put& put) {
    LineTransform<tile>::input(get, put);
  }
};

template <int tile>
struct OutputGradPixels {
  static constexpr int64_t count = tile;
  static HWY_INLINE Window window(const WinogradPlane& p, int64_t t) {
    return {t / p.tiles_w() * tile, t % p.tiles_w() * tile, p.out_h, p.out_w};
  }
  template <class Get, class Put>
  static HWY_INLINE void line(const Get& get, const Put& put) {
    LineTransform<tile>::output_grad(get, put);
  }
};

// Transforms one tile along both dimensions; `from` has its pixels, or is its copy with zeros.
template <int tile, class Pixels, class T>
HWY_INLINE void tile_to_points(const T* from, int64_t row, int64_t column, float* put,
                               int64_t point) {
  constexpr int64_t side = tile + 2;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float rows[most_points * most_lanes];
  for (int64_t y = 0; y < Pixels::count; ++y) {
    Pixels::line([&](int64_t x) HWY_ATTR { return load(d, from + y * row + x * column); },
                 [&](int64_t x, V v) HWY_ATTR { hn::Store(v, d, rows + (y * side + x) * lanes); });
  }
  for (int64_t x = 0; x < side; ++x) {
    Pixels::line([&](int64_t y) HWY_ATTR { return hn::Load(d, rows + (y * side + x) * lanes); },
                 [&](int64_t y, V v) HWY_ATTR { hn::StoreU(v, d, put + (y * side + x) * point); });
  }
}

template <int tile, class Pixels, class T>
HWY_INLINE void pixels_to_points(const WinogradPlane& p, const T* plane, int64_t first,
                                 int64_t count, const WinogradField& to) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float padded[most_points * most_lanes];
  for (int64_t t = first; t < first + count; ++t) {
    const Window w = Pixels::window(p, t);
    const bool whole = w.whole(Pixels::count);
    for (int64_t lane = 0; lane < p.block; lane += lanes) {
      float* put = to.data + (t - first) * p.block + lane;
      if (whole) {
        tile_to_points<tile, Pixels>(plane + lane + (w.top * w.width + w.left) * p.block,
                                     w.width * p.block, p.block, put, to.point);
      } else {
        copy_window(w, plane + lane, p.block, Pixels::count, padded);
        tile_to_points<tile, Pixels>(static_cast<const float*>(padded), Pixels::count * lanes,
                                     lanes, put, to.point);
      }
    }
  }
}

// The pixel at that offset of its plane.
template <class T>
HWY_INLINE V finished(V v, const WinogradTail<T>& tail, V shift, int64_t at) {
  const D d;
  v = hn::Add(v, shift);
  if (tail.residual) v = hn::Add(v, load(d, tail.residual + at));
  if (tail.act == NormAct::relu) {
    v = hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v);  // not Max: a NaN stays
  }
  if (tail.act == NormAct::swish) v = hn::Mul(v, logistic(d, v));
  return v;
}

template <int tile, bool tails, class T>
HWY_INLINE void output_tiles(const WinogradPlane& p, const WinogradField& from, int64_t first,
                             int64_t count, const WinogradTail<T>& tail, T* plane) {
  constexpr int64_t side = tile + 2;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float rows[most_points * most_lanes];
  for (int64_t t = first; t < first + count; ++t) {
    const int64_t top = t / p.tiles_w() * tile, left = t % p.tiles_w() * tile;
    for (int64_t lane = 0; lane < p.block; lane += lanes) {
      const V shift = tails ? hn::LoadU(d, tail.shift + lane) : hn::Zero(d);
      const float* get = from.data + (t - first) * p.block + lane;
      for (int64_t x = 0; x < side; ++x) {
        LineTransform<tile>::output(
            [&](int64_t y) HWY_ATTR { return hn::LoadU(d, get + (y * side + x) * from.point); },
            [&](int64_t y, V v) HWY_ATTR { hn::Store(v, d, rows + (y * side + x) * lanes); });
      }
      for (int64_t y = 0; y < tile && top + y < p.out_h; ++y) {
        const int64_t to = lane + ((top + y) * p.out_w + left) * p.block;
        LineTransform<tile>::output(
            [&](int64_t x) HWY_ATTR { return hn::Load(d, rows + (y * side + x) * lanes); },
            [&](int64_t x, V v) HWY_ATTR {
              if (left + x >= p.out_w) return;
              const int64_t at = to + x * p.block;
              store(tails ? finished(v, tail, shift, at) : v, d, plane + at);
            });
      }
    }
  }
}

template <int tile>
HWY_INLINE void weights_to_points(int64_t block, const float* g, float* u, int64_t point) {
  constexpr int64_t side = tile + 2;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float rows[most_points * most_lanes];
  for (int64_t lane = 0; lane < block; lane += lanes) {
    for (int64_t x = 0; x < 3; ++x) {
      LineTransform<tile>::weights(
          [&](int64_t y) HWY_ATTR { return hn::LoadU(d, g + (y * 3 + x) * block + lane); },
          [&](int64_t y, V v) HWY_ATTR { hn::Store(v, d, rows + (y * 3 + x) * lanes); });
    }
    for (int64_t y = 0; y < side; ++y) {
      LineTransform<tile>::weights(
          [&](int64_t x) HWY_ATTR { return hn::Load(d, rows + (y * 3 + x) * lanes); },
          [&](int64_t x, V v) HWY_ATTR { hn::StoreU(v, d, u + (y * side + x) * point + lane); });
    }
  }
}

template <int tile>
HWY_INLINE void points_to_weights(int64_t block, const float* u, int64_t point, float* g) {
  constexpr int64_t side = tile + 2;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float rows[most_points * most_lanes];
  for (int64_t lane = 0; lane < block; lane += lanes) {
    for (int64_t x = 0; x < side; ++x) {
      LineTransform<tile>::weights_grad(
          [&](int64_t y) HWY_ATTR { return hn::LoadU(d, u + (y * side + x) * point + lane); },
          [&](int64_t y, V v) HWY_ATTR { hn::Store(v, d, rows + (y * side + x) * lanes); });
    }
    for (int64_t y = 0; y < 3; ++y) {
      LineTransform<tile>::weights_grad(
          [&](int64_t x) HWY_ATTR { return hn::Load(d, rows + (y * side + x) * lanes); },
          [&](int64_t x, V v) HWY_ATTR { hn::StoreU(v, d, g + (y * 3 + x) * block + lane); });
    }
  }
}

void winograd_weights_impl(int64_t tile, int64_t block, const float* g, float* u, int64_t point) {
  tile == 4 ? weights_to_points<4>(block, g, u, point) : weights_to_points<2>(block, g, u, point);
}

void winograd_weights_grad_impl(int64_t tile, int64_t block, const float* u, int64_t point,
                                float* g) {
  tile == 4 ? points_to_weights<4>(block, u, point, g) : points_to_weights<2>(block, u, point, g);
}

template <class T>
void input(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
           const WinogradField& to) {
  p.tile == 4 ? pixels_to_points<4, InputPixels<4>>(p, plane, first, count, to)
              : pixels_to_points<2, InputPixels<2>>(p, plane, first, count, to);
}

template <int tile, class T>
HWY_INLINE void output_of(const WinogradPlane& p, const WinogradField& from, int64_t first,
                          int64_t count, const WinogradTail<T>& tail, T* plane) {
  tail.shift ? output_tiles<tile, true>(p, from, first, count, tail, plane)
             : output_tiles<tile, false>(p, from, first, count, tail, plane);
}

template <class T>
HWY_INLINE void output(const WinogradPlane& p, const WinogradField& from, int64_t first,
                       int64_t count, const WinogradTail<T>& tail, T* plane) {
  p.tile == 4 ? output_of<4>(p, from, first, count, tail, plane)
              : output_of<2>(p, from, first, count, tail, plane);
}

template <class T>
void output_grad(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
                 const WinogradField& to) {
  p.tile == 4 ? pixels_to_points<4, OutputGradPixels<4>>(p, plane, first, count, to)
              : pixels_to_points<2, OutputGradPixels<2>>(p, plane, first, count, to);
}

template <class T>
constexpr Transforms<T> transforms_of{
    .input = input<T>, .output = output<T>, .output_grad = output_grad<T>};
const Transforms<float>& transforms_f32() { return transforms_of<float>; }
const Transforms<Bf16>& transforms_bf16() { return transforms_of<Bf16>; }
const Transforms<F16>& transforms_f16() { return transforms_of<F16>; }

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(transforms_f32);
HWY_EXPORT(transforms_bf16);
HWY_EXPORT(transforms_f16);
HWY_EXPORT(winograd_weights_impl);
HWY_EXPORT(winograd_weights_grad_impl);

template <class T>
const Transforms<T>& transforms() {
  if constexpr (dtype_of<T> == DType::bf16)
    return HWY_DYNAMIC_DISPATCH(transforms_bf16)();
  else if constexpr (dtype_of<T> == DType::f16)
    return HWY_DYNAMIC_DISPATCH(transforms_f16)();
  else
    return HWY_DYNAMIC_DISPATCH(transforms_f32)();
}

template <class T>
void winograd_input(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
                    const WinogradField& to) {
  transforms<T>().input(p, plane, first, count, to);
}
template <class T>
void winograd_output(const WinogradPlane& p, const WinogradField& from, int64_t first,
                     int64_t count, const WinogradTail<T>& tail, T* plane) {
  transforms<T>().output(p, from, first, count, tail, plane);
}
template <class T>
void winograd_output_grad(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
                          const WinogradField& to) {
  transforms<T>().output_grad(p, plane, first, count, to);
}

template void winograd_input(const WinogradPlane&, const float*, int64_t, int64_t,
                             const WinogradField&);
template void winograd_output(const WinogradPlane&, const WinogradField&, int64_t, int64_t,
                              const WinogradTail<float>&, float*);
template void winograd_output_grad(const WinogradPlane&, const float*, int64_t, int64_t,
                                   const WinogradField&);
template void winograd_input(const WinogradPlane&, const Bf16*, int64_t, int64_t,
                             const WinogradField&);
template void winograd_output(const WinogradPlane&, const WinogradField&, int64_t, int64_t,
                              const WinogradTail<Bf16>&, Bf16*);
template void winograd_output_grad(const WinogradPlane&, const Bf16*, int64_t, int64_t,
                                   const WinogradField&);
template void winograd_input(const WinogradPlane&, const F16*, int64_t, int64_t,
                             const WinogradField&);
template void winograd_output(const WinogradPlane&, const WinogradField&, int64_t, int64_t,
                              const WinogradTail<F16>&, F16*);
template void winograd_output_grad(const WinogradPlane&, const F16*, int64_t, int64_t,
                                   const WinogradField&);

void winograd_weights(int64_t tile, int64_t block, const float* g, float* u, int64_t point) {
  HWY_DYNAMIC_DISPATCH(winograd_weights_impl)(tile, block, g, u, point);
}

void winograd_weights_grad(int64_t tile, int64_t block, const float* u, int64_t point, float* g) {
  HWY_DYNAMIC_DISPATCH(winograd_weights_grad_impl)(tile, block, u, point, g);
}

}  // namespace convoy::kernels
#endif
