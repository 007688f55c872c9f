// d_w from x and d_y: at every point a product over all tiles of a replica. The sums are
// transformed back to weights for each replica, then added in a tree over replicas: the same bits
// as replicas that run one after another.

#include <array>

#include "kernels/product.h"
#include "kernels/sums.h"
#include "ops/conv/winograd_conv.h"
#include "ops/conv/winograd_parts.h"
#include "ops/slices.h"

namespace convoy::ops {
namespace {

using kernels::WinogradPlane;
using onednn::ConvShape;

struct Sides {
  WinogradPlane plane;
  WinogradImages x, y;
  int64_t batch;  // images of a replica
  int64_t replicas;
  In<float> x_data, d_y_data;
  Out<float> d_w_data;

  int64_t weights() const { return x.channels * y.channels * 9; }

  // Transforms channel block b (of x, then of d_y) of the tiles [first, first + count) of image n;
  // writes them as tiles `at` and on.
  void transform_block(int64_t b, const KernelArgs& args, int64_t n, int64_t first, int64_t count,
                       int64_t at, const WinogradTiles& v, float* v_data, const WinogradTiles& d,
                       float* d_data) const {
    const int64_t mine = b - x.blocks();
    if (mine < 0) {
      kernels::winograd_input(plane, x.plane(x_data(args), n, b), first, count,
                              v.at(v_data, at, b));
    } else {
      kernels::winograd_output_grad(plane, y.plane(d_y_data(args), n, mine), first, count,
                                    d.at(d_data, at, mine));
    }
  }

  // The sums over `tiles` tiles at one point, for a block of inputs and some blocks of outputs.
  void multiply(const WinogradTiles& v, const float* v_data, const WinogradTiles& d,
                const float* d_data, int64_t tiles, int64_t vectors, float* sums, int64_t row,
                bool add) const {
    kernels::product({.rows = x.block,
                      .depth = tiles,
                      .vectors = vectors,
                      .a_row = 1,
                      .a_k = v.block,
                      .b_k = d.block,
                      .b_vector = d.plane(),
                      .c_row = row,
                      .c_vector = d.block,
                      .k_block = tiles,
                      .a_block = 0,
                      .b_block = 0,
                      .add = add},
                     v_data, d_data, sums);
  }

  // Transforms sums [point][input][output] back to d_w, for inputs [c, c + rows) and outputs [o, o
  // + columns).
  void back(const float* sums, int64_t point, int64_t row, int64_t c, int64_t rows, int64_t o,
            int64_t columns, float* d_w) const {
    std::array<float, 9 * 16> g;
    const int64_t block = x.block;
    for (int64_t i = 0; i < rows && c + i < x.channels; ++i) {
      for (int64_t j = 0; j < columns; j += block) {
        kernels::winograd_weights_grad(plane.tile, block, sums + i * row + j, point, g.data());
        for (int64_t lane = 0; lane < block && o + j + lane < y.channels; ++lane) {
          float* to = d_w + 9 * ((o + j + lane) * x.channels + c + i);
          for (int64_t k = 0; k < 9; ++k) to[k] = g[static_cast<size_t>(k * block + lane)];
        }
      }
    }
  }
};

Chunks weight_chunks(const Sides& s) { return {s.weights()}; }

// Adds the weight gradients of all groups of images: a tree over the `groups` of each replica, then
// one over the replicas.
void sum_terms(const Sides& s, int64_t groups, int task, float* rows, float* d_w) {
  const int64_t begin = weight_chunks(s).begin(task), length = weight_chunks(s).length(task);
  for (int64_t r = 0; r < s.replicas; ++r) {
    kernels::tree_sum(rows + r * groups * s.weights() + begin, s.weights(), groups, length);
  }
  kernels::tree_sum(rows + begin, groups * s.weights(), s.replicas, length);
  std::copy_n(rows + begin, length, d_w + begin);
}

// For small weights: each task sums the tiles of a slice; a tree over the slices of a replica.
class SlicedGradWeights : public Kernel {
 public:
  explicit SlicedGradWeights(const Sides& sides)
      : s_(sides),
        slices_(Slices::cut(s_.batch * s_.replicas, s_.replicas, divide_up(s_.batch, 16))) {
    const int64_t per_tile = s_.plane.points() * (s_.x.padded() + s_.y.padded()) * 4;
    chunk_ =
        std::min(std::max<int64_t>(2 * megabyte / per_tile, 8), slices_.size * s_.plane.tiles());
    v_ = {chunk_, s_.x.padded()};
    d_ = {chunk_, s_.y.padded()};
    sum_ = s_.plane.points() * point();
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  size_t scratch_bytes() const override {
    const int64_t rows = s_.replicas > 1 ? s_.replicas * s_.weights() : 0;
    return float_bytes(sum_ * slices_.tasks() + rows);
  }
  size_t worker_scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    return float_bytes(v_.floats(points) + d_.floats(points));
  }
  int phases() const override { return 4; }
  int tasks(int phase) const override {
    switch (phase) {
      case 0:
        return static_cast<int>(slices_.tasks());
      case 1:
        return slices_.per_replica() > 1 ? static_cast<int>(chunks().tasks() * s_.replicas) : 0;
      case 2:
        return static_cast<int>(s_.x.blocks() * s_.replicas);
      default:
        return s_.replicas > 1 ? weight_chunks(s_).tasks() : 0;
    }
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    float* rows = sums + sum_ * slices_.tasks();
    const int64_t each = slices_.per_replica() * sum_;  // floats of a replica's slices
    if (phase == 0) {
      run_slice(task, args, sums + task * sum_);
    } else if (phase == 1) {
      const int chunk = task % chunks().tasks();
      kernels::tree_sum(sums + task / chunks().tasks() * each + chunks().begin(chunk), sum_,
                        slices_.per_replica(), chunks().length(chunk));
    } else if (phase == 2) {
      const int64_t replica = task / s_.x.blocks(), c = task % s_.x.blocks() * s_.x.block;
      s_.back(sums + replica * each + c * s_.y.padded(), point(), s_.y.padded(), c, s_.x.block, 0,
              s_.y.padded(), s_.replicas > 1 ? rows + replica * s_.weights() : s_.d_w_data(args));
    } else {
      sum_terms(s_, 1, task, rows, s_.d_w_data(args));
    }
  }

 private:
  int64_t point() const { return s_.x.padded() * s_.y.padded(); }
  Chunks chunks() const { return {sum_, 2048}; }

  void run_slice(int task, const KernelArgs& args, float* sum) const {
    auto* v = reinterpret_cast<float*>(args.worker_scratch);
    float* d = v + v_.floats(s_.plane.points());
    const int64_t tiles = s_.plane.tiles();
    const int64_t begin = slices_.first(task) * tiles;
    const int64_t end = begin + slices_.count(task) * tiles;
    for (int64_t from = begin; from < end; from += chunk_) {
      const int64_t to = std::min(from + chunk_, end);
      by_image(from, to, tiles, [&](int64_t n, int64_t first, int64_t count, int64_t at) {
        for (int64_t b = 0; b < s_.x.blocks() + s_.y.blocks(); ++b) {
          s_.transform_block(b, args, n, first, count, at, v_, v, d_, d);
        }
      });
      for (int64_t p = 0; p < s_.plane.points(); ++p) {
        // A panel of outputs stays in the L1 cache while all inputs are multiplied with it.
        const int64_t vectors = kernels::product_vectors(), blocks = s_.y.blocks();
        for (int64_t o = 0; o < blocks; o += vectors) {
          for (int64_t c = 0; c < s_.x.blocks(); ++c) {
            s_.multiply(v_, v + p * v_.point() + v_.offset(0, c), d_,
                        d + p * d_.point() + d_.offset(0, o), to - from,
                        std::min(vectors, blocks - o),
                        sum + p * point() + (c * s_.y.padded() + o) * s_.x.block, s_.y.padded(),
                        from > begin);
          }
        }
      }
    }
  }

  Sides s_;
  Slices slices_;
  int64_t chunk_ = 0, sum_ = 0;  // tiles per pass; floats of one slice's sums
  WinogradTiles v_, d_;
};

// For large weights: transforms all tiles of a group of images; then each task sums a few inputs
// and outputs at all points and transforms them back while they are in its cache. Several groups of
// a replica are added as weight gradients.
class PhasedGradWeights : public Kernel {
 public:
  explicit PhasedGradWeights(const Sides& sides) : s_(sides) {
    group_ = images_in_a_group(s_.plane, s_.x.padded() + s_.y.padded(), s_.batch);
    groups_ = divide_up(s_.batch, group_);
    v_ = {group_ * s_.plane.tiles(), s_.x.padded()};
    d_ = {group_ * s_.plane.tiles(), s_.y.padded()};
    // Enough tasks for 16 threads.
    outputs_ = row_parts() * divide_up(s_.y.padded(), 128) >= 16 ? 128 : 64;
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  size_t scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    const int64_t rows = terms() > 1 ? terms() * s_.weights() : 0;
    return float_bytes(rows + v_.floats(points) + d_.floats(points));
  }
  size_t worker_scratch_bytes() const override {
    return float_bytes(s_.plane.points() * sum_point());
  }
  int phases() const override { return 2 * static_cast<int>(terms()) + 1; }
  int tasks(int phase) const override {
    if (phase == 2 * terms()) return terms() > 1 ? weight_chunks(s_).tasks() : 0;
    if (phase % 2 == 1) return static_cast<int>(row_parts() * column_parts());
    return static_cast<int>(count(phase / 2) * (s_.x.blocks() + s_.y.blocks()));
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* rows = reinterpret_cast<float*>(args.scratch);
    float* v = rows + (terms() > 1 ? terms() * s_.weights() : 0);
    float* d = v + v_.floats(s_.plane.points());
    const int64_t term = phase / 2, tiles = s_.plane.tiles();
    if (phase == 2 * terms()) {
      sum_terms(s_, groups_, task, rows, s_.d_w_data(args));
    } else if (phase % 2 == 0) {
      const int64_t planes = s_.x.blocks() + s_.y.blocks(), i = task / planes;
      const int64_t n = term / groups_ * s_.batch + term % groups_ * group_ + i;
      s_.transform_block(task % planes, args, n, 0, tiles, i * tiles, v_, v, d_, d);
    } else {
      multiply(task, count(term) * tiles, v, d, args,
               terms() > 1 ? rows + term * s_.weights() : s_.d_w_data(args));
    }
  }

 private:
  static constexpr int64_t inputs = 64;  // per task

  int64_t terms() const { return groups_ * s_.replicas; }
  int64_t count(int64_t term) const { return std::min(group_, s_.batch - term % groups_ * group_); }
  int64_t row_parts() const { return divide_up(s_.x.padded(), inputs); }
  int64_t column_parts() const { return divide_up(s_.y.padded(), outputs_); }
  int64_t sum_point() const { return inputs * outputs_ + 16; }

  void multiply(int task, int64_t tiles, const float* v, const float* d, const KernelArgs& args,
                float* d_w) const {
    auto* sums = reinterpret_cast<float*>(args.worker_scratch);
    const int64_t block = s_.x.block;
    const int64_t c = task / column_parts() * inputs, o = task % column_parts() * outputs_;
    const int64_t rows = std::min(inputs, s_.x.padded() - c);
    const int64_t columns = std::min(outputs_, s_.y.padded() - o);
    for (int64_t p = 0; p < s_.plane.points(); ++p) {
      const int64_t vectors = kernels::product_vectors();
      for (int64_t j = 0; j < columns / block; j += vectors) {
        for (int64_t i = 0; i < rows / block; ++i) {
          s_.multiply(v_, v + p * v_.point() + v_.offset(0, c / block + i), d_,
                      d + p * d_.point() + d_.offset(0, o / block + j), tiles,
                      std::min(vectors, columns / block - j),
                      sums + p * sum_point() + (i * columns + j) * block, columns, false);
        }
      }
    }
    s_.back(sums, sum_point(), columns, c, rows, o, columns, d_w);
  }

  Sides s_;
  int64_t group_ = 1, groups_ = 1;  // images of a group; groups of a replica
  int64_t outputs_;                 // per task
  WinogradTiles v_, d_;
};

}  // namespace

std::unique_ptr<Kernel> winograd_grad_weights(const ConvShape& s, int64_t tile,
                                              const KernelSite& site) {
  const Sides sides{.plane = {tile, s.ih, s.iw, s.oh, s.ow, s.pad_top, s.pad_left, channel_block()},
                    .x = {s.ic, s.ih, s.iw},
                    .y = {s.oc, s.oh, s.ow},
                    .batch = s.n / site.replicas,
                    .replicas = site.replicas,
                    .x_data = site.input<float>(0),
                    .d_y_data = site.input<float>(1),
                    .d_w_data = site.output<float>(0)};
  if (sides.plane.points() * sides.x.padded() * sides.y.padded() * 4 > large_weights) {
    return std::make_unique<PhasedGradWeights>(sides);
  }
  return std::make_unique<SlicedGradWeights>(sides);
}

}  // namespace convoy::ops
