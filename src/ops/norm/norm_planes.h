// Shared by batch and group norm: how a value in blocked layout is divided into planes and tasks. A
// plane is one block of channels of one image; a task is one or more neighbouring planes.
#pragma once

#include <algorithm>

#include "kernels/norm.h"
#include "tensor/isa.h"
#include "tensor/shape.h"

namespace convoy::ops {

// The padded length of vectors over channels, so that a kernel may read a whole block.
constexpr int64_t channel_vector(int64_t channels) { return round_up(channels, 16); }

// The scale and shift of neighbouring channels, from their saved mean and 1 / deviation.
inline void make_affine(const float* mean, const float* inverse, const float* gamma,
                        const float* beta, int64_t count, float* scale, float* shift) {
  for (int64_t c = 0; c < count; ++c) {
    scale[c] = gamma[c] * inverse[c];
    shift[c] = beta[c] - mean[c] * scale[c];
  }
}

struct NormPlanes {
  int64_t images, channels, blocks, block, pixels;

  explicit NormPlanes(const Shape& x)
      : images(x[0]),
        channels(x[1]),
        blocks(divide_up(x[1], channel_block())),
        block(channel_block()),
        pixels(x[2] * x[3]) {}

  // A larger result does not stay in the caches until it is read, so it is written past them
  // (docs/decisions/0011-one-product.md).
  static constexpr int64_t streamed_bytes = 8'000'000;
  // T: storage type.
  template <class T>
  kernels::NormPlane plane() const {
    const auto bytes = static_cast<int64_t>(sizeof(T));
    return {pixels, block, planes() * plane_floats() * bytes > streamed_bytes};
  }
  int64_t padded_channels() const { return channel_vector(channels); }
  int64_t planes() const { return images * blocks; }
  int64_t plane_floats() const { return pixels * block; }

  // The planes of a task: one, or several small ones.
  int64_t per_task() const {
    return std::clamp<int64_t>(16384 / plane_floats(), 1, std::max<int64_t>(1, planes() / 32));
  }
  int64_t tasks() const { return divide_up(planes(), per_task()); }

  // Calls f(image, first channel, offset of the plane in floats) for the planes of a task.
  template <class F>
  void each(int64_t task, const F& f) const {
    const int64_t last = std::min(planes(), (task + 1) * per_task());
    for (int64_t p = task * per_task(); p < last; ++p) {
      f(p / blocks, p % blocks * block, p * plane_floats());
    }
  }
};

}  // namespace convoy::ops
