#include "ops/winograd_conv.h"

#include <algorithm>
#include <array>

#include "kernels/winograd.h"
#include "ops/slices.h"
#include "tensor/isa.h"

namespace convoy::ops {
namespace {

using kernels::WinogradField;
using kernels::WinogradPlane;
using onednn::ConvShape;

constexpr int64_t megabyte = 1 << 20;
// Points whose distance is a power of two would fall into the same lines of the cache.
constexpr int64_t apart = 16;

// One side of the product: images in blocks of channels.
struct Images {
  int64_t channels, blocks, block, h, w;

  int64_t padded() const { return blocks * block; }
  int64_t plane_floats() const { return h * w * block; }
  // The plane of a block of channels of image n.
  template <class T>
  T* plane(T* data, int64_t n, int64_t b) const {
    return data + (n * blocks + b) * plane_floats();
  }
};

Images images(int64_t channels, int64_t h, int64_t w) {
  const int64_t block = channel_block();
  return {channels, divide_up(channels, block), block, h, w};
}

// Tiles of several images in a row: tile t belongs to image t / tiles.
struct Transformed {
  int64_t tiles, channels;  // padded
  int64_t point() const { return tiles * channels + apart; }
  int64_t floats(int64_t points) const { return points * point(); }
};

// Calls body(image, first tile in it, count, tiles before it) for the tiles [begin, end).
template <class Body>
void by_image(int64_t begin, int64_t end, int64_t tiles, const Body& body) {
  for (int64_t t = begin; t < end;) {
    const int64_t first = t % tiles, count = std::min(tiles - first, end - t);
    body(t / tiles, first, count, t - begin);
    t += count;
  }
}

// Weights at the points, in panels of two blocks of outputs: [point][panel][input][2 * block].
struct Panels {
  int64_t inputs, outputs, block;  // padded

  int64_t width() const { return 2 * block; }
  int64_t count() const { return divide_up(outputs, width()); }
  int64_t columns(int64_t panel) const { return std::min(width(), outputs - panel * width()); }
  int64_t point() const { return inputs * outputs + apart; }
  int64_t at(int64_t panel) const { return panel * width() * inputs; }
};

// Forward, and the input gradient, which is the forward pass of d_y with turned weights.
class WinogradApply : public Kernel {
 public:
  WinogradApply(const WinogradPlane& plane, const Images& in, const Images& out, int64_t n,
                bool turned)
      : plane_(plane),
        in_(in),
        out_(out),
        turned_(turned),
        panels_{in.padded(), out.padded(), in.block},
        all_tiles_(n * plane.tiles()) {
    const int64_t per_tile = plane.points() * (in.padded() + out.padded()) * 4;
    if (plane.points() * panels_.point() * 4 > 4 * megabyte) {
      // Large weights are read once for as many tiles as a group has.
      group_images_ = std::clamp<int64_t>(24 * megabyte / (per_tile * plane.tiles()), 1, n);
      groups_ = divide_up(n, group_images_);
      chunk_ = group_images_ * plane.tiles();
    } else {
      // As much as stays in a core's cache, in whole panels of rows, and tasks for 16 threads.
      const int64_t cached = std::max<int64_t>(megabyte / per_tile / 6, 1) * 6;
      chunk_ = std::min(cached, round_up(divide_up(all_tiles_, 24), 6));
    }
    images_ = n;
    v_ = {chunk_, in.padded()};
    m_ = {chunk_, out.padded()};
  }

  std::string implementation() const override {
    return plane_.tile == 4 ? "winograd:f4" : "winograd:f2";
  }
  int holding_phases() const override { return 1; }
  size_t held_bytes() const override {
    return static_cast<size_t>(plane_.points() * panels_.point()) * sizeof(float);
  }
  size_t scratch_bytes() const override { return groups_ ? transformed_bytes() : 0; }
  size_t worker_scratch_bytes() const override { return groups_ ? 0 : transformed_bytes(); }

  int phases() const override { return groups_ ? 1 + 3 * static_cast<int>(groups_) : 2; }
  int tasks(int phase) const override {
    if (phase == 0) return static_cast<int>(in_.blocks);
    if (!groups_) return static_cast<int>(divide_up(all_tiles_, chunk_));
    const int64_t count = group_count((phase - 1) / 3);
    switch ((phase - 1) % 3) {
      case 0:
        return static_cast<int>(count * in_.blocks);
      case 1:
        return static_cast<int>(plane_.points() * panels_.count());
      default:
        return static_cast<int>(count * out_.blocks);
    }
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* u = reinterpret_cast<float*>(args.held);
    if (phase == 0) return transform_weights(task, args.input(1), u);
    if (!groups_) return run_chunk(task, args, u);
    auto* v = reinterpret_cast<float*>(args.scratch);
    float* m = v + v_.floats(plane_.points());
    const int64_t group = (phase - 1) / 3, first = group * group_images_;
    if ((phase - 1) % 3 == 0) {
      const int64_t i = task / in_.blocks, b = task % in_.blocks;
      kernels::winograd_input(plane_, in_.plane(args.input(0), first + i, b), 0, plane_.tiles(),
                              field(v, v_, i * plane_.tiles(), b));
    } else if ((phase - 1) % 3 == 1) {
      multiply(task / panels_.count(), task % panels_.count(), group_count(group) * plane_.tiles(),
               v, u, m);
    } else {
      const int64_t i = task / out_.blocks, b = task % out_.blocks;
      kernels::winograd_output(plane_, field(m, m_, i * plane_.tiles(), b), 0, plane_.tiles(),
                               out_.plane(args.output(0), first + i, b));
    }
  }

 private:
  size_t transformed_bytes() const {
    const int64_t points = plane_.points();
    return static_cast<size_t>(v_.floats(points) + m_.floats(points)) * sizeof(float);
  }
  int64_t group_count(int64_t group) const {
    return std::min(group_images_, images_ - group * group_images_);
  }
  WinogradField field(float* data, const Transformed& t, int64_t tile, int64_t b) const {
    return {data + tile * t.channels + b * in_.block, t.point(), t.channels};
  }

  // The weights of one block of inputs.
  void transform_weights(int task, const float* w, float* u) const {
    const int64_t block = in_.block;
    std::array<float, 9 * 16> g;
    for (int64_t c = task * block; c < (task + 1) * block; ++c) {
      for (int64_t b = 0; b < out_.blocks; ++b) {
        for (int64_t lane = 0; lane < block; ++lane) {
          const int64_t o = b * block + lane;
          const bool real = o < out_.channels && c < in_.channels;
          // [o][c] forward; turned: [c][o] by the names of the forward pass, from the far end.
          const float* from =
              real ? w + 9 * (turned_ ? c * out_.channels + o : o * in_.channels + c) : nullptr;
          for (int64_t k = 0; k < 9; ++k) {
            g[static_cast<size_t>(k * block + lane)] = real ? from[turned_ ? 8 - k : k] : 0;
          }
        }
        const int64_t panel = b / 2;
        kernels::winograd_weights(
            plane_.tile, block, g.data(),
            u + panels_.at(panel) + c * panels_.columns(panel) + b % 2 * block, panels_.point());
      }
    }
  }

  void multiply(int64_t point, int64_t panel, int64_t tiles, const float* v, const float* u,
                float* m) const {
    const int64_t columns = panels_.columns(panel);
    kernels::winograd_product({.rows = tiles,
                               .depth = in_.padded(),
                               .columns = columns,
                               .a_row = v_.channels,
                               .a_k = 1,
                               .b_k = columns,
                               .c_row = m_.channels,
                               .add = false},
                              v + point * v_.point(),
                              u + point * panels_.point() + panels_.at(panel),
                              m + point * m_.point() + panel * panels_.width());
  }

  void run_chunk(int task, const KernelArgs& args, const float* u) const {
    auto* v = reinterpret_cast<float*>(args.worker_scratch);
    float* m = v + v_.floats(plane_.points());
    const int64_t begin = task * chunk_, end = std::min(begin + chunk_, all_tiles_);
    by_image(begin, end, plane_.tiles(), [&](int64_t n, int64_t first, int64_t count, int64_t at) {
      for (int64_t b = 0; b < in_.blocks; ++b) {
        kernels::winograd_input(plane_, in_.plane(args.input(0), n, b), first, count,
                                field(v, v_, at, b));
      }
    });
    for (int64_t point = 0; point < plane_.points(); ++point) {
      for (int64_t panel = 0; panel < panels_.count(); ++panel) {
        multiply(point, panel, end - begin, v, u, m);
      }
    }
    by_image(begin, end, plane_.tiles(), [&](int64_t n, int64_t first, int64_t count, int64_t at) {
      for (int64_t b = 0; b < out_.blocks; ++b) {
        kernels::winograd_output(plane_, field(m, m_, at, b), first, count,
                                 out_.plane(args.output(0), n, b));
      }
    });
  }

  WinogradPlane plane_;
  Images in_, out_;
  bool turned_;
  Panels panels_;
  int64_t all_tiles_, images_ = 0;
  int64_t chunk_ = 0;                      // tiles at a time
  int64_t groups_ = 0, group_images_ = 0;  // of phases; 0: each task does everything for its chunk
  Transformed v_{}, m_{};
};

// d_w from x and d_y: at every point a product over all tiles of a replica.
class WinogradGradWeights : public Kernel {
 public:
  WinogradGradWeights(const WinogradPlane& plane, const Images& x, const Images& y, int64_t n,
                      int64_t replicas)
      : plane_(plane), x_(x), y_(y), replicas_(replicas), batch_(n / replicas) {
    point_ = x.padded() * y.padded();
    sum_ = round_up(plane.points() * point_, 16);
    const int64_t per_tile = plane.points() * (x.padded() + y.padded()) * 4;
    if (sum_ * 4 > 4 * megabyte) {
      group_images_ = std::clamp<int64_t>(24 * megabyte / (per_tile * plane.tiles()), 1, batch_);
      groups_ = divide_up(batch_, group_images_);
      chunk_ = group_images_ * plane.tiles();
      slices_ = {batch_, replicas, batch_};  // one sum for each replica
    } else {
      slices_ = Slices::cut(n, replicas, divide_up(batch_, 16));
      chunk_ =
          std::min(std::max<int64_t>(2 * megabyte / per_tile, 8), slices_.size * plane.tiles());
    }
    v_ = {chunk_, x.padded()};
    d_ = {chunk_, y.padded()};
  }

  std::string implementation() const override {
    return plane_.tile == 4 ? "winograd:f4" : "winograd:f2";
  }
  size_t scratch_bytes() const override {
    int64_t floats = sum_ * slices_.tasks();
    if (replicas_ > 1) floats += replicas_ * weights();
    return static_cast<size_t>(floats) * sizeof(float) + (groups_ ? transformed_bytes() : 0);
  }
  size_t worker_scratch_bytes() const override { return groups_ ? 0 : transformed_bytes(); }

  // The sums of the slices, the tree over those of a replica, back to weights, and the tree over
  // the replicas: of weights, so that it has the bits of replicas that run one after another.
  int sum_phases() const { return groups_ ? 2 * static_cast<int>(groups_ * replicas_) : 1; }
  int phases() const override { return sum_phases() + 3; }
  int tasks(int phase) const override {
    if (phase == sum_phases()) {
      return slices_.per_replica() > 1 ? static_cast<int>(chunks().tasks() * replicas_) : 0;
    }
    if (phase == sum_phases() + 1) return static_cast<int>(x_.blocks * replicas_);
    if (phase == sum_phases() + 2) return replicas_ > 1 ? weight_chunks().tasks() : 0;
    if (!groups_) return static_cast<int>(slices_.tasks());
    if (phase % 2 == 1) return static_cast<int>(plane_.points() * x_.blocks);
    return static_cast<int>(group_count(phase / 2) * (x_.blocks + y_.blocks));
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    float* back = sums + sum_ * slices_.tasks();  // of several replicas
    const int64_t rows = slices_.per_replica();
    if (phase == sum_phases()) {
      const int64_t replica = task / chunks().tasks();
      const int chunk = task % chunks().tasks();
      kernels::tree_sum(sums + replica * rows * sum_ + chunks().begin(chunk), sum_, rows,
                        chunks().length(chunk));
    } else if (phase == sum_phases() + 1) {
      const int64_t replica = task / x_.blocks;
      weights_back(task % x_.blocks, sums + replica * rows * sum_,
                   replicas_ > 1 ? back + replica * weights() : args.output(0));
    } else if (phase == sum_phases() + 2) {
      const int64_t begin = weight_chunks().begin(task), length = weight_chunks().length(task);
      kernels::tree_sum(back + begin, weights(), replicas_, length);
      std::copy_n(back + begin, length, args.output(0) + begin);
    } else if (!groups_) {
      run_slice(task, args, sums + task * sum_);
    } else {
      run_group(phase, task, args, sums);
    }
  }

 private:
  size_t transformed_bytes() const {
    const int64_t points = plane_.points();
    return static_cast<size_t>(v_.floats(points) + d_.floats(points)) * sizeof(float);
  }
  Chunks chunks() const { return {sum_, 2048}; }
  int64_t weights() const { return x_.channels * y_.channels * 9; }
  Chunks weight_chunks() const { return {weights()}; }
  // `group` counts those of all replicas.
  int64_t group_count(int64_t group) const {
    return std::min(group_images_, batch_ - group % groups_ * group_images_);
  }
  WinogradField field(float* data, const Transformed& t, int64_t tile, int64_t b) const {
    return {data + tile * t.channels + b * x_.block, t.point(), t.channels};
  }

  // Inputs [first, first + rows) of one point.
  void multiply(int64_t point, int64_t first, int64_t rows, int64_t tiles, bool add, const float* v,
                const float* d, float* sum) const {
    kernels::winograd_product({.rows = rows,
                               .depth = tiles,
                               .columns = d_.channels,
                               .a_row = 1,
                               .a_k = v_.channels,
                               .b_k = d_.channels,
                               .c_row = d_.channels,
                               .add = add},
                              v + point * v_.point() + first, d + point * d_.point(),
                              sum + point * point_ + first * d_.channels);
  }

  void run_slice(int task, const KernelArgs& args, float* sum) const {
    auto* v = reinterpret_cast<float*>(args.worker_scratch);
    float* d = v + v_.floats(plane_.points());
    const int64_t tiles = plane_.tiles();
    const int64_t begin = slices_.first(task) * tiles;
    const int64_t end = begin + slices_.count(task) * tiles;
    for (int64_t from = begin; from < end; from += chunk_) {
      const int64_t to = std::min(from + chunk_, end);
      by_image(from, to, tiles, [&](int64_t n, int64_t first, int64_t count, int64_t at) {
        for (int64_t b = 0; b < x_.blocks; ++b) {
          kernels::winograd_input(plane_, x_.plane(args.input(0), n, b), first, count,
                                  field(v, v_, at, b));
        }
        for (int64_t b = 0; b < y_.blocks; ++b) {
          kernels::winograd_output_grad(plane_, y_.plane(args.input(1), n, b), first, count,
                                        field(d, d_, at, b));
        }
      });
      for (int64_t point = 0; point < plane_.points(); ++point) {
        multiply(point, 0, x_.padded(), to - from, from > begin, v, d, sum);
      }
    }
  }

  void run_group(int phase, int task, const KernelArgs& args, float* sums) const {
    float* v = sums + sum_ * slices_.tasks() + (replicas_ > 1 ? replicas_ * weights() : 0);
    float* d = v + v_.floats(plane_.points());
    const int64_t group = phase / 2, replica = group / groups_, tiles = plane_.tiles();
    if (phase % 2 == 1) {
      multiply(task / x_.blocks, task % x_.blocks * x_.block, x_.block, group_count(group) * tiles,
               group % groups_ > 0, v, d, sums + replica * sum_);
      return;
    }
    const int64_t planes = x_.blocks + y_.blocks, i = task / planes, b = task % planes;
    const int64_t n = replica * batch_ + group % groups_ * group_images_ + i;
    if (b < x_.blocks) {
      kernels::winograd_input(plane_, x_.plane(args.input(0), n, b), 0, tiles,
                              field(v, v_, i * tiles, b));
    } else {
      kernels::winograd_output_grad(plane_, y_.plane(args.input(1), n, b - x_.blocks), 0, tiles,
                                    field(d, d_, i * tiles, b - x_.blocks));
    }
  }

  // The weights of one block of inputs.
  void weights_back(int64_t task, const float* sum, float* d_w) const {
    std::array<float, 9 * 16> g;
    const int64_t block = x_.block, last = std::min((task + 1) * block, x_.channels);
    for (int64_t c = task * block; c < last; ++c) {
      for (int64_t b = 0; b < y_.blocks; ++b) {
        kernels::winograd_weights_grad(plane_.tile, block, sum + c * d_.channels + b * block,
                                       point_, g.data());
        for (int64_t lane = 0; lane < block && b * block + lane < y_.channels; ++lane) {
          float* to = d_w + 9 * ((b * block + lane) * x_.channels + c);
          for (int64_t k = 0; k < 9; ++k) to[k] = g[static_cast<size_t>(k * block + lane)];
        }
      }
    }
  }

  WinogradPlane plane_;
  Images x_, y_;
  int64_t replicas_, batch_;
  int64_t point_ = 0, sum_ = 0;  // floats of the sums of one point, and of all
  int64_t chunk_ = 0;
  int64_t groups_ = 0, group_images_ = 0;  // of a replica; 0: each task sums a slice
  Slices slices_{};
  Transformed v_{}, d_{};
};

WinogradPlane forward_plane(const ConvShape& s, int64_t tile) {
  return {tile, s.ih, s.iw, s.oh, s.ow, s.pad_top, s.pad_left, channel_block()};
}

}  // namespace

bool winograd_can(const ConvShape& s) {
  return s.kh == 3 && s.kw == 3 && s.stride_h == 1 && s.stride_w == 1 && s.groups == 1 &&
         s.x == Layout::blocked && s.y == Layout::blocked && s.pad_top <= 2 && s.pad_left <= 2 &&
         s.pad_bottom <= 2 && s.pad_right <= 2;
}

std::unique_ptr<Kernel> winograd_forward(const ConvShape& s, int64_t tile) {
  return std::make_unique<WinogradApply>(forward_plane(s, tile), images(s.ic, s.ih, s.iw),
                                         images(s.oc, s.oh, s.ow), s.n, false);
}

std::unique_ptr<Kernel> winograd_grad_input(const ConvShape& s, int64_t tile) {
  const WinogradPlane plane{tile, s.oh,          s.ow,           s.ih,
                            s.iw, 2 - s.pad_top, 2 - s.pad_left, channel_block()};
  return std::make_unique<WinogradApply>(plane, images(s.oc, s.oh, s.ow), images(s.ic, s.ih, s.iw),
                                         s.n, true);
}

std::unique_ptr<Kernel> winograd_grad_weights(const ConvShape& s, int64_t tile, int64_t replicas) {
  return std::make_unique<WinogradGradWeights>(forward_plane(s, tile), images(s.ic, s.ih, s.iw),
                                               images(s.oc, s.oh, s.ow), s.n, replicas);
}

}  // namespace convoy::ops
