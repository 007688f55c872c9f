// The forward pass, and the input gradient, which is the forward pass of d_y with turned weights.

#include <array>

#include "ops/winograd_conv.h"
#include "ops/winograd_parts.h"

namespace convoy::ops {
namespace {

using kernels::WinogradPlane;
using onednn::ConvShape;

struct Sides {
  WinogradPlane plane;
  WinogradImages in, out;
  int64_t images;
  bool turned;

  // Transforms the weights of inputs [first, first + count) and of one block of outputs; point p of
  // input c goes to u + (c - first) * input + p * point.
  void weights(const float* w, int64_t first, int64_t count, int64_t out_block, float* u,
               int64_t input, int64_t point) const {
    const int64_t block = in.block;
    std::array<float, 9 * 16> g;
    for (int64_t c = first; c < first + count; ++c) {
      for (int64_t lane = 0; lane < block; ++lane) {
        const int64_t o = out_block * block + lane;
        const bool real = o < out.channels && c < in.channels;
        // w[o][c], or by the names of the forward pass w[c][o] from its far end.
        const float* from =
            real ? w + 9 * (turned ? c * out.channels + o : o * in.channels + c) : nullptr;
        for (int64_t k = 0; k < 9; ++k) {
          g[static_cast<size_t>(k * block + lane)] = real ? from[turned ? 8 - k : k] : 0;
        }
      }
      kernels::winograd_weights(plane.tile, block, g.data(), u + (c - first) * input, point);
    }
  }
};

// Small weights: transformed once, then every task does all for a chunk of tiles.
class ChunkedApply : public Kernel {
 public:
  explicit ChunkedApply(const Sides& sides) : s_(sides) {
    const int64_t per_tile = s_.plane.points() * (s_.in.padded() + s_.out.padded()) * 4;
    // As much as stays in a core's cache, in whole panels of rows, and tasks for 16 threads.
    const int64_t cached = std::max<int64_t>(megabyte / per_tile / 6, 1) * 6;
    all_ = s_.images * s_.plane.tiles();
    chunk_ = std::min(cached, round_up(divide_up(all_, 24), 6));
    v_ = {chunk_, s_.in.padded()};
    m_ = {chunk_, s_.out.padded()};
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  int holding_phases() const override { return 1; }
  size_t held_bytes() const override {
    return static_cast<size_t>(s_.plane.points() * u_point()) * sizeof(float);
  }
  size_t worker_scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    return static_cast<size_t>(v_.floats(points) + m_.floats(points)) * sizeof(float);
  }
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? s_.out.blocks() : divide_up(all_, chunk_));
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* u = reinterpret_cast<float*>(args.held);
    if (phase == 0) {
      s_.weights(args.input(1), 0, s_.in.padded(), task,
                 u + panel(task / 2) + task % 2 * s_.in.block, columns(task / 2), u_point());
    } else {
      run_chunk(task, args, u);
    }
  }

 private:
  // Weights at the points, in panels of two blocks of outputs: [point][panel][input][2 * block].
  int64_t u_point() const { return s_.in.padded() * s_.out.padded() + 16; }
  int64_t panels() const { return divide_up(s_.out.blocks(), 2); }
  int64_t panel(int64_t i) const { return i * 2 * s_.in.block * s_.in.padded(); }
  int64_t columns(int64_t i) const {
    return std::min(2 * s_.in.block, s_.out.padded() - i * 2 * s_.in.block);
  }

  void run_chunk(int task, const KernelArgs& args, const float* u) const {
    const WinogradPlane& plane = s_.plane;
    auto* v = reinterpret_cast<float*>(args.worker_scratch);
    float* m = v + v_.floats(plane.points());
    const int64_t begin = task * chunk_, end = std::min(begin + chunk_, all_);
    by_image(begin, end, plane.tiles(), [&](int64_t n, int64_t first, int64_t count, int64_t at) {
      for (int64_t b = 0; b < s_.in.blocks(); ++b) {
        kernels::winograd_input(plane, s_.in.plane(args.input(0), n, b), first, count,
                                v_.at(v, at, b * s_.in.block));
      }
    });
    for (int64_t point = 0; point < plane.points(); ++point) {
      for (int64_t i = 0; i < panels(); ++i) {
        kernels::winograd_product({.rows = end - begin,
                                   .depth = s_.in.padded(),
                                   .columns = columns(i),
                                   .a_row = v_.channels,
                                   .a_k = 1,
                                   .b_k = columns(i),
                                   .c_row = m_.channels,
                                   .add = false},
                                  v + point * v_.point(), u + point * u_point() + panel(i),
                                  m + point * m_.point() + i * 2 * s_.in.block);
      }
    }
    by_image(begin, end, plane.tiles(), [&](int64_t n, int64_t first, int64_t count, int64_t at) {
      for (int64_t b = 0; b < s_.out.blocks(); ++b) {
        kernels::winograd_output(plane, m_.at(m, at, b * s_.in.block), first, count,
                                 s_.out.plane(args.output(0), n, b));
      }
    });
  }

  Sides s_;
  int64_t all_ = 0, chunk_ = 0;  // tiles
  WinogradTiles v_, m_;
};

// Large weights: they would fill the memory's bus at the points. A task transforms those of a few
// outputs where it needs them, inputs by inputs, and multiplies them with all tiles of a group.
class PhasedApply : public Kernel {
 public:
  explicit PhasedApply(const Sides& sides) : s_(sides) {
    group_ = images_in_a_group(s_.plane, s_.in.padded() + s_.out.padded(), s_.images);
    v_ = {group_ * s_.plane.tiles(), s_.in.padded()};
    m_ = {group_ * s_.plane.tiles(), s_.out.padded()};
    // Tasks for 16 threads: the tiles are shared out too when there are few outputs.
    parts_ = std::clamp<int64_t>(divide_up(16, panels()), 1, divide_up(v_.tiles, 48));
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  size_t scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    return static_cast<size_t>(v_.floats(points) + m_.floats(points)) * sizeof(float);
  }
  size_t worker_scratch_bytes() const override {
    return static_cast<size_t>(s_.plane.points() * u_point()) * sizeof(float);
  }
  int phases() const override { return 3 * static_cast<int>(divide_up(s_.images, group_)); }
  int tasks(int phase) const override {
    if (phase % 3 == 0) return static_cast<int>(count(phase / 3) * s_.in.blocks());
    if (phase % 3 == 1) return static_cast<int>(panels() * parts_);
    return static_cast<int>(count(phase / 3) * s_.out.blocks());
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* v = reinterpret_cast<float*>(args.scratch);
    float* m = v + v_.floats(s_.plane.points());
    const int64_t group = phase / 3, tiles = s_.plane.tiles(), block = s_.in.block;
    if (phase % 3 == 1) {
      multiply(task / parts_, task % parts_, count(group) * tiles, args, v, m);
      return;
    }
    const int64_t blocks = phase % 3 == 0 ? s_.in.blocks() : s_.out.blocks();
    const int64_t i = task / blocks, b = task % blocks, n = group * group_ + i;
    if (phase % 3 == 0) {
      kernels::winograd_input(s_.plane, s_.in.plane(args.input(0), n, b), 0, tiles,
                              v_.at(v, i * tiles, b * block));
    } else {
      kernels::winograd_output(s_.plane, m_.at(m, i * tiles, b * block), 0, tiles,
                               s_.out.plane(args.output(0), n, b));
    }
  }

 private:
  static constexpr int64_t inputs = 128;  // at a time

  int64_t width() const { return 2 * s_.in.block; }
  int64_t panels() const { return divide_up(s_.out.padded(), width()); }
  int64_t u_point() const { return inputs * width() + 16; }
  int64_t count(int64_t group) const { return std::min(group_, s_.images - group * group_); }

  void multiply(int64_t panel, int64_t part, int64_t tiles, const KernelArgs& args, const float* v,
                float* m) const {
    auto* u = reinterpret_cast<float*>(args.worker_scratch);
    const int64_t block = s_.in.block,
                  columns = std::min(width(), s_.out.padded() - panel * width());
    const int64_t share = round_up(divide_up(tiles, parts_), 6);
    const int64_t first = std::min(part * share, tiles), rows = std::min(share, tiles - first);
    for (int64_t c = 0; c < s_.in.padded(); c += inputs) {
      const int64_t depth = std::min(inputs, s_.in.padded() - c);
      for (int64_t b = 0; b * block < columns; ++b) {
        s_.weights(args.input(1), c, depth, panel * 2 + b, u + b * block, columns, u_point());
      }
      for (int64_t point = 0; point < s_.plane.points(); ++point) {
        kernels::winograd_product({.rows = rows,
                                   .depth = depth,
                                   .columns = columns,
                                   .a_row = v_.channels,
                                   .a_k = 1,
                                   .b_k = columns,
                                   .c_row = m_.channels,
                                   .add = c > 0},
                                  v + point * v_.point() + first * v_.channels + c,
                                  u + point * u_point(),
                                  m + point * m_.point() + first * m_.channels + panel * width());
      }
    }
  }

  Sides s_;
  int64_t group_ = 1;  // images
  int64_t parts_ = 1;  // of the tiles of a group
  WinogradTiles v_, m_;
};

std::unique_ptr<Kernel> apply(const Sides& s) {
  if (s.plane.points() * s.in.padded() * s.out.padded() * 4 > large_weights) {
    return std::make_unique<PhasedApply>(s);
  }
  return std::make_unique<ChunkedApply>(s);
}

}  // namespace

std::unique_ptr<Kernel> winograd_forward(const ConvShape& s, int64_t tile) {
  return apply({.plane = {tile, s.ih, s.iw, s.oh, s.ow, s.pad_top, s.pad_left, channel_block()},
                .in = {s.ic, s.ih, s.iw},
                .out = {s.oc, s.oh, s.ow},
                .images = s.n,
                .turned = false});
}

std::unique_ptr<Kernel> winograd_grad_input(const ConvShape& s, int64_t tile) {
  return apply(
      {.plane = {tile, s.oh, s.ow, s.ih, s.iw, 2 - s.pad_top, 2 - s.pad_left, channel_block()},
       .in = {s.oc, s.oh, s.ow},
       .out = {s.ic, s.ih, s.iw},
       .images = s.n,
       .turned = true});
}

}  // namespace convoy::ops
