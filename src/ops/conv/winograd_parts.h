// Shared by the kernels of ops/conv/winograd_*.cpp: images in blocks of channels, and transformed
// tiles.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/conv/winograd.h"
#include "kernels/product.h"
#include "ops/conv/folded/conv_tail.h"
#include "tensor/isa.h"
#include "tensor/shape.h"

namespace convoy::ops {

constexpr int64_t megabyte = 1 << 20;
// Transformed weights up to this size stay in the last cache, so that each task can transform and
// multiply its own tiles. Tiles that one core transforms and another reads are much slower where
// the cores do not share a cache.
constexpr int64_t large_weights = 16 * megabyte;
// The same for weight gradients over `tiles` tiles: with few tiles, transforming the sums of every
// task back takes longer than sharing the tiles.
constexpr bool has_large_weights(int64_t bytes, int64_t tiles) {
  return bytes > large_weights || (bytes > 4 * megabyte && tiles < 512);
}
// The tiles that a task of the forward pass computes, of `tiles` in all, for small weights: as many
// as stay in a core's cache or near it, since every chunk reads all weights; a multiple of the
// product's rows, but enough tasks for 16 threads. `channels`: of both sides.
constexpr int64_t chunk_of_tiles(int64_t points, int64_t channels, int64_t tiles) {
  constexpr int64_t rows = kernels::product_rows;
  const int64_t near = 2 * megabyte / (points * channels * 4);
  return std::min(std::max<int64_t>(near / rows, 1) * rows, round_up(divide_up(tiles, 24), rows));
}
// Limit for the transformed tiles of a group of images.
constexpr int64_t group_bytes = 48 * megabyte;

// One side of the convolution: images in blocks of channels.
struct WinogradImages {
  int64_t channels, h, w;
  int64_t block = channel_block();

  int64_t blocks() const { return divide_up(channels, block); }
  int64_t padded() const { return blocks() * block; }
  // Where the plane of channel block b of image n begins, in elements.
  int64_t plane(int64_t n, int64_t b) const { return (n * blocks() + b) * h * w * block; }
};

// kernels/conv/winograd.h on planes in fp32, bf16 or fp16.
inline void winograd_input(const kernels::WinogradPlane& p, DType stored, const std::byte* plane,
                           int64_t first, int64_t count, const kernels::WinogradField& to) {
  if (stored == DType::f16) {
    return kernels::winograd_input(p, reinterpret_cast<const F16*>(plane), first, count, to);
  }
  stored == DType::bf16
      ? kernels::winograd_input(p, reinterpret_cast<const Bf16*>(plane), first, count, to)
      : kernels::winograd_input(p, reinterpret_cast<const float*>(plane), first, count, to);
}
// `element`: the first of the plane; `channel`: its first channel.
inline void winograd_output(const kernels::WinogradPlane& p, const kernels::WinogradField& from,
                            int64_t first, int64_t count, const StoredOut& made,
                            const TailInputs& tail, const KernelArgs& args, int64_t element,
                            int64_t channel) {
  const auto write = [&]<class T>(T* plane) {
    const kernels::WinogradTail<T> then{
        .shift = tail.shift(args, channel),
        .residual = reinterpret_cast<const T*>(tail.residual(args, element)),
        .act = tail.act()};
    kernels::winograd_output(p, from, first, count, then, plane);
  };
  std::byte* plane = made.at(args, element);
  if (made.type() == DType::f16) return write(reinterpret_cast<F16*>(plane));
  made.type() == DType::bf16 ? write(reinterpret_cast<Bf16*>(plane))
                             : write(reinterpret_cast<float*>(plane));
}
inline void winograd_output_grad(const kernels::WinogradPlane& p, DType stored,
                                 const std::byte* plane, int64_t first, int64_t count,
                                 const kernels::WinogradField& to) {
  if (stored == DType::f16) {
    return kernels::winograd_output_grad(p, reinterpret_cast<const F16*>(plane), first, count, to);
  }
  stored == DType::bf16
      ? kernels::winograd_output_grad(p, reinterpret_cast<const Bf16*>(plane), first, count, to)
      : kernels::winograd_output_grad(p, reinterpret_cast<const float*>(plane), first, count, to);
}

// Transformed tiles of consecutive images: [point][block][tile][channel of the block].
struct WinogradTiles {
  int64_t tiles = 0, channels = 0;  // padded
  int64_t block = channel_block();

  int64_t plane() const { return tiles * block; }

  // +16: points at distances of a power of two would share the same cache sets.
  int64_t point() const { return tiles * channels + 16; }
  int64_t floats(int64_t points) const { return points * point(); }
  // The offset of a tile of channel block b, within a point.
  int64_t offset(int64_t tile, int64_t b) const { return b * plane() + tile * block; }
  kernels::WinogradField at(float* data, int64_t tile, int64_t b) const {
    return {data + offset(tile, b), point()};
  }
};

// Calls body(image, first tile in the image, count, tiles before it) for the tiles [begin, end).
template <class Body>
void by_image(int64_t begin, int64_t end, int64_t tiles, const Body& body) {
  for (int64_t t = begin; t < end;) {
    const int64_t first = t % tiles, count = std::min(tiles - first, end - t);
    body(t / tiles, first, count, t - begin);
    t += count;
  }
}

inline std::string winograd_label(const kernels::WinogradPlane& plane) {
  return plane.tile == 4 ? "winograd:f4" : "winograd:f2";
}

// The most images whose tiles, of both sides, fit into `group_bytes`; at least one.
inline int64_t images_in_a_group(const kernels::WinogradPlane& plane, int64_t channels, int64_t n) {
  const int64_t bytes = plane.points() * plane.tiles() * channels * 4;
  return std::clamp<int64_t>(group_bytes / bytes, 1, n);
}

}  // namespace convoy::ops
