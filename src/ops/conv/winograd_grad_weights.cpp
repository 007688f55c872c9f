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

  // Transform the tiles [first, first + count) of channel block b of image n.
  void transform_x(const KernelArgs& args, int64_t n, int64_t b, int64_t first, int64_t count,
                   const kernels::WinogradField& to) const {
    kernels::winograd_input(plane, x.plane(x_data(args), n, b), first, count, to);
  }
  void transform_d_y(const KernelArgs& args, int64_t n, int64_t b, int64_t first, int64_t count,
                     const kernels::WinogradField& to) const {
    kernels::winograd_output_grad(plane, y.plane(d_y_data(args), n, b), first, count, to);
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

// For small weights: a task sums a slice of the images for a part of the outputs, in chunks of
// tiles whose transforms stay in its core's caches. For a few inputs and outputs at a time it sums
// the products at all points and transforms them back. The slices are added as weight gradients.
class SlicedGradWeights : public Kernel {
 public:
  explicit SlicedGradWeights(const Sides& sides)
      : s_(sides), slices_(Slices::cut(s_.batch * s_.replicas, s_.replicas, least_images(s_))) {
    const int64_t per_tile = s_.plane.points() * (s_.x.padded() + s_.y.padded()) * 4;
    const int64_t tiles = slices_.size * s_.plane.tiles();
    // With fewer tiles, transforming the sums back would take too long.
    const int64_t cached = std::max<int64_t>(4 * megabyte / per_tile, 112);
    chunk_ = divide_up(tiles, divide_up(tiles, cached));
    v_ = {chunk_, s_.x.padded()};
    // With few slices, outputs are divided too; each part transforms x again.
    const int64_t most = divide_up(s_.y.padded(), strip);
    const int64_t tasks = std::min<int64_t>(16, s_.batch * s_.replicas / 2);
    strips_ = divide_up(most, std::clamp<int64_t>(divide_up(tasks, slices_.tasks()), 1, most));
    parts_ = divide_up(most, strips_);
    d_ = {chunk_, std::min(strips_ * strip, s_.y.padded())};
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  size_t scratch_bytes() const override { return float_bytes(stride() * slices_.tasks()); }
  size_t worker_scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    return float_bytes(v_.floats(points) + d_.floats(points) + points * sum_point());
  }
  int phases() const override { return 3; }
  int tasks(int phase) const override {
    if (phase == 0) return static_cast<int>(slices_.tasks() * parts_);
    if (phase == 1) return slices_.tasks() > 1 ? chunks().tasks() : 0;
    return static_cast<int>(s_.y.blocks());
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) {
      const int slice = task / static_cast<int>(parts_);
      run_slice(slice, task % parts_, args, sums + slice * stride());
    } else if (phase == 1) {
      sum_slices(slices_, sums + chunks().begin(task), stride(), chunks().length(task));
    } else {
      unpack(task, sums, s_.d_w_data(args));
    }
  }

 private:
  // Inputs and outputs whose sums are computed at once, to stay in a core's cache.
  static constexpr int64_t strip = 64;

  // A slice has at least 32 tiles, or transforming its sums back would take too long; but there are
  // at least 8 slices, and at most 16.
  static int64_t least_images(const Sides& s) {
    return divide_up(s.batch, std::clamp<int64_t>(s.batch * s.plane.tiles() / 32, 8, 16));
  }

  // Partial sums: [block of outputs][input][window][output of the block].
  int64_t stride() const { return s_.x.padded() * 9 * s_.y.padded(); }
  int64_t packed(int64_t c, int64_t o) const {
    return (o / s_.y.block * s_.x.padded() + c) * 9 * s_.y.block;
  }
  Chunks chunks() const { return {stride(), 2048}; }
  int64_t sum_point() const { return strip * strip + 16; }

  void run_slice(int slice, int64_t part, const KernelArgs& args, float* made) const {
    auto* v = reinterpret_cast<float*>(args.worker_scratch);
    float* d = v + v_.floats(s_.plane.points());
    float* sums = d + d_.floats(s_.plane.points());
    const int64_t tiles = s_.plane.tiles();
    const int64_t begin = slices_.first(slice) * tiles;
    const int64_t end = begin + slices_.count(slice) * tiles;
    const int64_t first_o = part * strips_ * strip;
    const int64_t end_o = std::min(first_o + strips_ * strip, s_.y.padded());
    for (int64_t from = begin; from < end; from += chunk_) {
      const int64_t to = std::min(from + chunk_, end);
      by_image(from, to, tiles, [&](int64_t n, int64_t first, int64_t count, int64_t at) {
        for (int64_t b = 0; b < s_.x.blocks(); ++b) {
          s_.transform_x(args, n, b, first, count, v_.at(v, at, b));
        }
        for (int64_t o = first_o; o < end_o; o += s_.y.block) {
          s_.transform_d_y(args, n, o / s_.y.block, first, count,
                           d_.at(d, at, (o - first_o) / s_.y.block));
        }
      });
      for (int64_t o = first_o; o < end_o; o += strip) {
        for (int64_t c = 0; c < s_.x.padded(); c += strip) {
          const int64_t columns = std::min(strip, end_o - o);
          multiply(c, columns, to - from, v, d + d_.offset(0, (o - first_o) / s_.y.block), sums);
          back(c, o, columns, sums, made, from > begin);
        }
      }
    }
  }

  // Sums the products of the inputs [c, c + strip) and the first `columns` outputs of d. A piece of
  // a panel of d stays in the L1 cache while it is multiplied with all these inputs.
  void multiply(int64_t c, int64_t columns, int64_t tiles, const float* v, const float* d,
                float* sums) const {
    const int64_t block = s_.x.block, panel = kernels::product_vectors();
    const int64_t rows = std::min(strip, s_.x.padded() - c) / block;
    const int64_t pieces = divide_up(tiles, kernels::product_depth);
    for (int64_t p = 0; p < s_.plane.points(); ++p) {
      for (int64_t j = 0; j < columns / block; j += panel) {
        for (int64_t piece = 0; piece < pieces; ++piece) {
          const int64_t k = piece * tiles / pieces, depth = (piece + 1) * tiles / pieces - k;
          for (int64_t i = 0; i < rows; ++i) {
            s_.multiply(v_, v + p * v_.point() + v_.offset(k, c / block + i), d_,
                        d + p * d_.point() + d_.offset(k, j), depth,
                        std::min(panel, columns / block - j),
                        sums + p * sum_point() + (i * strip + j) * block, strip, k > 0);
          }
        }
      }
    }
  }

  void back(int64_t c, int64_t o, int64_t columns, const float* sums, float* made, bool add) const {
    std::array<float, 9 * 16> g;
    const int64_t block = s_.x.block;
    for (int64_t j = 0; j < columns; j += block) {
      for (int64_t i = 0; i < strip && c + i < s_.x.padded(); ++i) {
        float* to = made + packed(c + i, o + j);
        kernels::winograd_weights_grad(s_.plane.tile, block, sums + i * strip + j, sum_point(),
                                       add ? g.data() : to);
        if (add) kernels::accumulate(to, g.data(), 9 * block);
      }
    }
  }

  // Writes the filters of a block of outputs.
  void unpack(int task, const float* sums, float* d_w) const {
    const int64_t block = s_.y.block, o = task * block, all = 9 * s_.x.channels;
    constexpr int64_t piece = 128;  // stays in the L1 cache while it is read once per lane
    for (int64_t first = 0; first < all; first += piece) {
      const int64_t count = std::min(piece, all - first);
      for (int64_t lane = 0; lane < block && o + lane < s_.y.channels; ++lane) {
        const float* from = sums + packed(0, o) + first * block + lane;
        float* to = d_w + (o + lane) * all + first;
        for (int64_t i = 0; i < count; ++i) to[i] = from[i * block];
      }
    }
  }

  Sides s_;
  Slices slices_;
  int64_t chunk_ = 0;               // tiles
  int64_t strips_ = 1, parts_ = 1;  // strips of outputs of a part, and parts
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
      const int64_t b = task % planes, y_b = b - s_.x.blocks();
      if (y_b < 0) {
        s_.transform_x(args, n, b, 0, tiles, v_.at(v, i * tiles, b));
      } else {
        s_.transform_d_y(args, n, y_b, 0, tiles, d_.at(d, i * tiles, y_b));
      }
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
  const int64_t bytes = sides.plane.points() * sides.x.padded() * sides.y.padded() * 4;
  if (has_large_weights(bytes, sides.batch * sides.plane.tiles())) {
    return std::make_unique<PhasedGradWeights>(sides);
  }
  return std::make_unique<SlicedGradWeights>(sides);
}

}  // namespace convoy::ops
