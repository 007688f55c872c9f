// Parts of grouped_conv.cpp: one dimension of the window, and the rows of the source that the
// window covers, spread over the lanes.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/conv/grouped.h"
#include "kernels/conv/grouped_pairs.h"
#include "tensor/shape.h"

namespace convoy::ops {

constexpr int64_t most_taps = 16;  // per side of the window

// One dimension of the window, from the viewpoint of the result: result pixel p belongs to class p
// % classes; tap t of this class reads source pixel p / classes * step + offset.
struct Side {
  struct Tap {
    int64_t tap, offset;
  };
  int64_t source, made;  // pixels of the source and of the result
  int64_t classes, step;
  std::vector<std::vector<Tap>> taps;  // of each class

  static Side forward(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t pad) {
    Side side{in, out, 1, stride, {{}}};
    for (int64_t t = 0; t < window; ++t) side.taps[0].push_back({t, t - pad});
    return side;
  }
  static Side backward(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t pad) {
    Side side{out, in, stride, 1, {}};
    side.taps.resize(static_cast<size_t>(stride));
    for (int64_t c = 0; c < stride; ++c) {
      // From the last tap to the first, so that source pixels are read in order.
      for (int64_t t = window - 1; t >= 0; --t) {
        const int64_t from = c + pad - t;
        if ((from % stride + stride) % stride != 0) continue;
        const int64_t offset = from >= 0 ? from / stride : -(-from / stride);
        side.taps[static_cast<size_t>(c)].push_back({t, offset});
      }
    }
    return side;
  }

  const std::vector<Tap>& of(int64_t c) const { return taps[static_cast<size_t>(c)]; }
  int64_t count(int64_t c) const { return c < made ? divide_up(made - c, classes) : 0; }
  // How many pixels taps reach before the first and behind the last pixel of the source.
  int64_t before() const {
    int64_t most = 0;
    for (const auto& list : taps) {
      for (const Tap& t : list) most = std::max(most, -t.offset);
    }
    return most;
  }
  int64_t behind() const {
    int64_t most = 0;
    for (int64_t c = 0; c < classes; ++c) {
      for (const Tap& t : of(c)) {
        most = std::max(most, (count(c) - 1) * step + t.offset - (source - 1));
      }
    }
    return most;
  }
};

// A ring of the rows of one plane that the window needs, spread over the lanes: `copies` of each,
// of floats or of as many pairs of bf16.
class SpreadRows {
 public:
  SpreadRows(const Side& columns, int64_t window, int64_t copies, int64_t block)
      : spread_{columns.source, block, copies, 0},
        window_(window),
        margin_(columns.before()),
        behind_(columns.behind()) {
    spread_.stride = (margin_ + columns.source + behind_) * block;
  }
  int64_t stride() const { return spread_.stride; }
  int64_t margin() const { return margin_; }
  size_t bytes() const { return float_bytes(window_ * spread_.members * spread_.stride); }
  // Sets the margins to zero; they stay zero for all following planes. Other pixels of a row are
  // filled before they are read.
  void clear(float* memory) const {
    for (int64_t i = 0; i < window_ * spread_.members; ++i) {
      float* row = memory + i * spread_.stride;
      std::fill_n(row, margin_ * spread_.block, 0.0f);
      std::fill_n(row + (margin_ + spread_.pixels) * spread_.block, behind_ * spread_.block, 0.0f);
    }
  }
  float* row(float* memory, int64_t source_row) const {
    return memory + source_row % window_ * spread_.members * spread_.stride;
  }
  template <class T>
  void fill(float* memory, int64_t source_row, const T* plane) const {
    kernels::grouped_spread(spread_, plane + source_row * spread_.pixels * spread_.block,
                            row(memory, source_row) + margin_ * spread_.block);
  }
  void fill_channels(float* memory, int64_t source_row, const Bf16* plane) const {
    kernels::grouped_spread_channels(
        spread_, plane + source_row * spread_.pixels * spread_.block,
        reinterpret_cast<kernels::Bf16Pair*>(row(memory, source_row)) + margin_ * spread_.block);
  }
  // Margins too.
  void fill_pixels(float* memory, int64_t source_row, const Bf16* plane, int64_t step) const {
    kernels::grouped_spread_pixels(spread_, {margin_, behind_, step},
                                   plane + source_row * spread_.pixels * spread_.block,
                                   reinterpret_cast<kernels::Bf16Pair*>(row(memory, source_row)));
  }

 private:
  kernels::GroupedSpread spread_;
  int64_t window_, margin_, behind_;
};

}  // namespace convoy::ops
