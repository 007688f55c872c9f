#include "kernels/conv/winograd.h"

#ifndef CONVOY_KERNELS_WINOGRAD_ONCE
#define CONVOY_KERNELS_WINOGRAD_ONCE
namespace convoy::kernels {
namespace {
template <class T>
struct Transforms {
  void (*input)(const WinogradPlane&, const T*, int64_t, int64_t, const WinogradField&);
  void (*output)(const WinogradPlane&, const WinogradField&, int64_t, int64_t, T*);
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
#include "kernels/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

HWY_INLINE V times(float f, V v) { return hn::Mul(hn::Set(D(), f), v); }
HWY_INLINE V fma(float f, V v, V to) { return hn::MulAdd(hn::Set(D(), f), v, to); }

// The transforms along one dimension. `get` and `put` access the elements, so that the same code
// serves rows and columns. Separate variables, because gcc keeps arrays of vectors in memory.
template <int tile>
struct Lines;

template <>
struct Lines<4> {
  template <class Get, class Put>
  static HWY_INLINE void input(const Get& get, const Put& put) {
    const V d0 = get(0), d1 = get(1), d2 = get(2), d3 = get(3), d4 = get(4), d5 = get(5);
    const V a = fma(-4, d2, d4), b = fma(-4, d1, d3);  // d4 - 4 d2, d3 - 4 d1
    const V c = hn::Sub(d4, d2), e = times(2, hn::Sub(d3, d1));
    put(0, fma(4, d0, fma(-5, d2, d4)));
    put(1, hn::Add(a, b));
    put(2, hn::Sub(a, b));
    put(3, hn::Add(c, e));
    put(4, hn::Sub(c, e));
    put(5, fma(4, d1, fma(-5, d3, d5)));
  }
  template <class Get, class Put>
  static HWY_INLINE void output(const Get& get, const Put& put) {
    const V m0 = get(0), m1 = get(1), m2 = get(2), m3 = get(3), m4 = get(4), m5 = get(5);
    const V s = hn::Add(m1, m2), d = hn::Sub(m1, m2), t = hn::Add(m3, m4), e = hn::Sub(m3, m4);
    put(0, hn::Add(m0, hn::Add(s, t)));
    put(1, fma(2, e, d));
    put(2, fma(4, t, s));
    put(3, hn::Add(fma(8, e, d), m5));
  }
  template <class Get, class Put>
  static HWY_INLINE void output_grad(const Get& get, const Put& put) {
    const V y0 = get(0), y1 = get(1), y2 = get(2), y3 = get(3);
    const V even = hn::Add(y0, y2), odd = hn::Add(y1, y3);
    const V far_even = fma(4, y2, y0), far_odd = fma(8, y3, times(2, y1));
    put(0, y0);
    put(1, hn::Add(even, odd));
    put(2, hn::Sub(even, odd));
    put(3, hn::Add(far_even, far_odd));
    put(4, hn::Sub(far_even, far_odd));
    put(5, y3);
  }
  template <class Get, class Put>
  static HWY_INLINE void weights(const Get& get, const Put& put) {
    const V g0 = get(0), g1 = get(1), g2 = get(2);
    const V s = times(-1.0f / 6, hn::Add(g0, g2)), t = times(1.0f / 6, g1);
    const V a = fma(1.0f / 24, g0, times(1.0f / 6, g2)), b = times(1.0f / 12, g1);
    put(0, times(0.25f, g0));
    put(1, hn::Sub(s, t));
    put(2, hn::Add(s, t));
    put(3, hn::Add(a, b));
    put(4, hn::Sub(a, b));
    put(5, g2);
  }
  template <class Get, class Put>
  static HWY_INLINE void weights_grad(const Get& get, const Put& put) {
    const V u0 = get(0), u1 = get(1), u2 = get(2), u3 = get(3), u4 = get(4), u5 = get(5);
    const V near = hn::Add(u1, u2), far = hn::Add(u3, u4);
    put(0, fma(0.25f, u0, fma(1.0f / 24, far, times(-1.0f / 6, near))));
    put(1, fma(1.0f / 6, hn::Sub(u2, u1), times(1.0f / 12, hn::Sub(u3, u4))));
    put(2, fma(1.0f / 6, hn::Sub(far, near), u5));
  }
};

template <>
struct Lines<2> {
  template <class Get, class Put>
  static HWY_INLINE void input(const Get& get, const Put& put) {
    const V d0 = get(0), d1 = get(1), d2 = get(2), d3 = get(3);
    put(0, hn::Sub(d0, d2));
    put(1, hn::Add(d1, d2));
    put(2, hn::Sub(d2, d1));
    put(3, hn::Sub(d1, d3));
  }
  template <class Get, class Put>
  static HWY_INLINE void output(const Get& get, const Put& put) {
    const V m0 = get(0), m1 = get(1), m2 = get(2), m3 = get(3);
    put(0, hn::Add(m0, hn::Add(m1, m2)));
    put(1, hn::Sub(hn::Sub(m1, m2), m3));
  }
  template <class Get, class Put>
  static HWY_INLINE void output_grad(const Get& get, const Put& put) {
    const V y0 = get(0), y1 = get(1);
    put(0, y0);
    put(1, hn::Add(y0, y1));
    put(2, hn::Sub(y0, y1));
    put(3, hn::Neg(y1));
  }
  template <class Get, class Put>
  static HWY_INLINE void weights(const Get& get, const Put& put) {
    const V g0 = get(0), g1 = get(1), g2 = get(2), s = hn::Add(g0, g2);
    put(0, g0);
    put(1, times(0.5f, hn::Add(s, g1)));
    put(2, times(0.5f, hn::Sub(s, g1)));
    put(3, g2);
  }
  template <class Get, class Put>
  static HWY_INLINE void weights_grad(const Get& get, const Put& put) {
    const V u0 = get(0), u1 = get(1), u2 = get(2), u3 = get(3), s = hn::Add(u1, u2);
    put(0, fma(0.5f, s, u0));
    put(1, times(0.5f, hn::Sub(u1, u2)));
    put(2, fma(0.5f, s, u3));
  }
};

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
    Lines<tile>::input(get, put);
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
    Lines<tile>::output_grad(get, put);
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

template <int tile, class T>
HWY_INLINE void output_tiles(const WinogradPlane& p, const WinogradField& from, int64_t first,
                             int64_t count, T* plane) {
  constexpr int64_t side = tile + 2;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float rows[most_points * most_lanes];
  for (int64_t t = first; t < first + count; ++t) {
    const int64_t top = t / p.tiles_w() * tile, left = t % p.tiles_w() * tile;
    for (int64_t lane = 0; lane < p.block; lane += lanes) {
      const float* get = from.data + (t - first) * p.block + lane;
      for (int64_t x = 0; x < side; ++x) {
        Lines<tile>::output(
            [&](int64_t y) HWY_ATTR { return hn::LoadU(d, get + (y * side + x) * from.point); },
            [&](int64_t y, V v) HWY_ATTR { hn::Store(v, d, rows + (y * side + x) * lanes); });
      }
      for (int64_t y = 0; y < tile && top + y < p.out_h; ++y) {
        T* to = plane + lane + ((top + y) * p.out_w + left) * p.block;
        Lines<tile>::output([&](int64_t x)
                                HWY_ATTR { return hn::Load(d, rows + (y * side + x) * lanes); },
                            [&](int64_t x, V v) HWY_ATTR {
                              if (left + x < p.out_w) store(v, d, to + x * p.block);
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
      Lines<tile>::weights(
          [&](int64_t y) HWY_ATTR { return hn::LoadU(d, g + (y * 3 + x) * block + lane); },
          [&](int64_t y, V v) HWY_ATTR { hn::Store(v, d, rows + (y * 3 + x) * lanes); });
    }
    for (int64_t y = 0; y < side; ++y) {
      Lines<tile>::weights(
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
      Lines<tile>::weights_grad(
          [&](int64_t y) HWY_ATTR { return hn::LoadU(d, u + (y * side + x) * point + lane); },
          [&](int64_t y, V v) HWY_ATTR { hn::Store(v, d, rows + (y * side + x) * lanes); });
    }
    for (int64_t y = 0; y < 3; ++y) {
      Lines<tile>::weights_grad(
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

template <class T>
void output(const WinogradPlane& p, const WinogradField& from, int64_t first, int64_t count,
            T* plane) {
  p.tile == 4 ? output_tiles<4>(p, from, first, count, plane)
              : output_tiles<2>(p, from, first, count, plane);
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
                     int64_t count, T* plane) {
  transforms<T>().output(p, from, first, count, plane);
}
template <class T>
void winograd_output_grad(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
                          const WinogradField& to) {
  transforms<T>().output_grad(p, plane, first, count, to);
}

template void winograd_input(const WinogradPlane&, const float*, int64_t, int64_t,
                             const WinogradField&);
template void winograd_output(const WinogradPlane&, const WinogradField&, int64_t, int64_t, float*);
template void winograd_output_grad(const WinogradPlane&, const float*, int64_t, int64_t,
                                   const WinogradField&);
template void winograd_input(const WinogradPlane&, const Bf16*, int64_t, int64_t,
                             const WinogradField&);
template void winograd_output(const WinogradPlane&, const WinogradField&, int64_t, int64_t, Bf16*);
template void winograd_output_grad(const WinogradPlane&, const Bf16*, int64_t, int64_t,
                                   const WinogradField&);
template void winograd_input(const WinogradPlane&, const F16*, int64_t, int64_t,
                             const WinogradField&);
template void winograd_output(const WinogradPlane&, const WinogradField&, int64_t, int64_t, F16*);
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
