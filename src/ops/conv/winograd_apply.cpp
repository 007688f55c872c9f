// The forward pass, and the input gradient, which is the forward pass on d_y with rotated weights.

#include <array>

#include "kernels/product.h"
#include "kernels/transpose.h"
#include "ops/conv/winograd_conv.h"
#include "ops/conv/winograd_parts.h"
#include "ops/stored.h"

namespace convoy::ops {
namespace {

using kernels::WinogradPlane;
using onednn::ConvShape;

struct Sides {
  WinogradPlane plane;
  WinogradImages in, out;
  int64_t images;
  bool turned;
  StoredIn source;
  In<float> weights;
  StoredOut made;
  TailInputs tail;

  // 9 rows of `block` outputs for each of the inputs [first, first + count): the input of the
  // weight transform.
  int64_t packed(int64_t count) const { return count * 9 * in.block; }
  void pack(const float* w, int64_t first, int64_t count, int64_t out_block, float* g) const {
    const int64_t block = in.block, o = out_block * block;
    const int64_t rows = std::min(block, out.channels - o);
    const int64_t real = std::clamp<int64_t>(in.channels - first, 0, count);
    if (turned) {
      // In the forward pass's names w[c][o]; each window is read backwards.
      for (int64_t c = 0; c < real; ++c) {
        kernels::transpose({rows, 9, block, 9, -block}, w + 9 * ((first + c) * out.channels + o),
                           g + packed(c) + 8 * block);
      }
    } else {
      kernels::transpose({rows, 9 * real, block, 9 * in.channels, block},
                         w + 9 * (o * in.channels + first), g);
    }
    std::fill_n(g + packed(real), packed(count - real), 0.0f);
  }
  // Transforms packed weights; point p of input c goes to u + c * input + p * point.
  void transform(const float* g, int64_t count, float* u, int64_t input, int64_t point) const {
    for (int64_t c = 0; c < count; ++c) {
      kernels::winograd_weights(plane.tile, in.block, g + packed(c), u + c * input, point);
    }
  }

  // m = v u at one point, for `inputs` channels of v and a panel of `vectors` blocks of outputs.
  void multiply(const WinogradTiles& v, const float* v_data, int64_t rows, int64_t inputs,
                const float* u, int64_t vectors, const WinogradTiles& m, float* m_data, bool add,
                int64_t ahead) const {
    const int64_t block = in.block;
    kernels::product({.rows = rows,
                      .depth = inputs,
                      .vectors = vectors,
                      .a_row = block,
                      .a_k = 1,
                      .b_k = vectors * block,
                      .b_vector = block,
                      .c_row = block,
                      .c_vector = m.plane(),
                      .k_block = block,
                      .a_block = v.plane(),
                      .b_block = block * vectors * block,
                      .add = add,
                      .a_ahead = ahead},
                     v_data, u, m_data);
  }
};

// For small weights: they are transformed once, then each task does everything for a chunk of
// tiles.
class ChunkedApply : public Kernel {
 public:
  explicit ChunkedApply(const Sides& sides) : s_(sides) {
    all_ = s_.images * s_.plane.tiles();
    chunk_ = chunk_of_tiles(s_.plane.points(), s_.in.padded() + s_.out.padded(), all_);
    v_ = {chunk_, s_.in.padded()};
    m_ = {chunk_, s_.out.padded()};
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  int packing_phases() const override { return 1; }
  size_t packed_bytes() const override { return float_bytes(s_.plane.points() * u_point()); }
  size_t worker_scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    return float_bytes(v_.floats(points) + m_.floats(points));
  }
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? panels() * packs() : divide_up(all_, chunk_));
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* u = reinterpret_cast<float*>(args.packed);
    if (phase == 0) {
      transform(task, s_.weights(args), u);
    } else {
      run_chunk(task, args, u);
    }
  }

 private:
  // Transformed weights, in panels of a few blocks of outputs: [point][panel][input][output].
  int64_t u_point() const { return s_.in.padded() * s_.out.padded() + 16; }
  int64_t panels() const { return divide_up(s_.out.blocks(), vectors_); }
  int64_t panel(int64_t i) const { return i * vectors_ * s_.in.block * s_.in.padded(); }
  int64_t vectors(int64_t i) const { return std::min(vectors_, s_.out.blocks() - i * vectors_); }

  // A task of the packing: some inputs of a whole panel, so that no two tasks write a cache line.
  static constexpr int64_t inputs = 64;
  int64_t packs() const { return divide_up(s_.in.padded(), inputs); }

  void transform(int task, const float* w, float* u) const {
    constexpr int64_t some = 16;  // inputs in one call
    std::array<float, some * 9 * 16> g;
    const int64_t i = task / packs(), first = task % packs() * inputs, block = s_.in.block;
    const int64_t end = std::min(first + inputs, s_.in.padded()), width = vectors(i) * block;
    for (int64_t c = first; c < end; c += some) {
      const int64_t count = std::min(some, end - c);
      for (int64_t j = 0; j < vectors(i); ++j) {
        s_.pack(w, c, count, i * vectors_ + j, g.data());
        s_.transform(g.data(), count, u + panel(i) + c * width + j * block, width, u_point());
      }
    }
  }

  void run_chunk(int task, const KernelArgs& args, const float* u) const {
    const WinogradPlane& plane = s_.plane;
    auto* v = reinterpret_cast<float*>(args.worker_scratch);
    float* m = v + v_.floats(plane.points());
    const int64_t begin = task * chunk_, end = std::min(begin + chunk_, all_);
    by_image(begin, end, plane.tiles(), [&](int64_t n, int64_t first, int64_t count, int64_t at) {
      for (int64_t b = 0; b < s_.in.blocks(); ++b) {
        winograd_input(plane, s_.source.type(), s_.source.at(args, s_.in.plane(n, b)), first, count,
                       v_.at(v, at, b));
      }
    });
    for (int64_t point = 0; point < plane.points(); ++point) {
      for (int64_t i = 0; i < panels(); ++i) {
        s_.multiply(v_, v + point * v_.point(), end - begin, s_.in.padded(),
                    u + point * u_point() + panel(i), vectors(i), m_,
                    m + point * m_.point() + i * vectors_ * m_.plane(), false, 0);
      }
    }
    by_image(begin, end, plane.tiles(), [&](int64_t n, int64_t first, int64_t count, int64_t at) {
      for (int64_t b = 0; b < s_.out.blocks(); ++b) {
        winograd_output(plane, m_.at(m, at, b), first, count, s_.made, s_.tail, args,
                        s_.out.plane(n, b), b * s_.out.block);
      }
    });
  }

  Sides s_;
  int64_t vectors_ = kernels::product_vectors();
  int64_t all_ = 0, chunk_ = 0;  // tiles
  WinogradTiles v_, m_;
};

// For large weights: transformed, they would not stay in a cache. All tiles of a group are
// transformed; then a task transforms the weights of a few outputs just before use, some inputs at
// a time, multiplies them with its tiles, and transforms the products back. The plain weights are
// packed once.
class PhasedApply : public Kernel {
 public:
  explicit PhasedApply(const Sides& sides) : s_(sides) {
    group_ = images_in_a_group(s_.plane, s_.in.padded() + s_.out.padded(), s_.images);
    v_ = {group_ * s_.plane.tiles(), s_.in.padded()};
    // Enough tasks for 16 threads: tiles are divided too if there are few outputs.
    parts_ = std::clamp<int64_t>(divide_up(16, strips()), 1, divide_up(v_.tiles, 48));
    m_ = {share(v_.tiles), strip_blocks * s_.in.block};
  }

  std::string implementation() const override { return winograd_label(s_.plane); }
  int packing_phases() const override { return 1; }
  size_t packed_bytes() const override {
    return float_bytes(s_.packed(s_.in.padded()) * s_.out.blocks());
  }
  size_t scratch_bytes() const override { return float_bytes(v_.floats(s_.plane.points())); }
  size_t worker_scratch_bytes() const override {
    const int64_t points = s_.plane.points();
    return float_bytes(points * u_point() + m_.floats(points));
  }
  int phases() const override { return 1 + 2 * static_cast<int>(divide_up(s_.images, group_)); }
  int tasks(int phase) const override {
    if (phase == 0) return static_cast<int>(s_.out.blocks());
    const bool to_points = phase % 2 == 1;
    return static_cast<int>(to_points ? count((phase - 1) / 2) * s_.in.blocks()
                                      : strips() * parts_);
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* g = reinterpret_cast<float*>(args.packed);
    if (phase == 0) {
      s_.pack(s_.weights(args), 0, s_.in.padded(), task, g + task * s_.packed(s_.in.padded()));
      return;
    }
    auto* v = reinterpret_cast<float*>(args.scratch);
    const int64_t group = (phase - 1) / 2, tiles = s_.plane.tiles();
    if (phase % 2 == 1) {
      const int64_t i = task / s_.in.blocks(), b = task % s_.in.blocks();
      winograd_input(s_.plane, s_.source.type(),
                     s_.source.at(args, s_.in.plane(group * group_ + i, b)), 0, tiles,
                     v_.at(v, i * tiles, b));
    } else {
      const int64_t all = count(group) * tiles, each = share(all);
      const int64_t first = std::min(task % parts_ * each, all), end = std::min(first + each, all);
      if (first < end) compute(task / parts_, group, first, end, v, args);
    }
  }

 private:
  // Inputs per pass and blocks of outputs per strip: their transformed weights, and the sums of a
  // strip, stay in a core's cache.
  static constexpr int64_t inputs = 64, strip_blocks = 4;

  int64_t strips() const { return divide_up(s_.out.blocks(), strip_blocks); }
  int64_t u_point() const { return inputs * strip_blocks * s_.in.block + 16; }
  int64_t count(int64_t group) const { return std::min(group_, s_.images - group * group_); }
  // The tiles of a part.
  int64_t share(int64_t tiles) const {
    return round_up(divide_up(tiles, parts_), kernels::product_rows);
  }

  // Computes a strip of outputs for the tiles [first, end) of a group.
  void compute(int64_t strip, int64_t group, int64_t first, int64_t end, const float* v,
               const KernelArgs& args) const {
    auto* u = reinterpret_cast<float*>(args.worker_scratch);
    float* m = u + s_.plane.points() * u_point();
    const int64_t first_block = strip * strip_blocks;
    const int64_t blocks = std::min(strip_blocks, s_.out.blocks() - first_block);
    multiply(first_block, blocks, first, end - first, v, args, u, m);
    by_image(first, end, s_.plane.tiles(), [&](int64_t n, int64_t tile, int64_t count, int64_t at) {
      for (int64_t b = 0; b < blocks; ++b) {
        winograd_output(s_.plane, m_.at(m, at, b), tile, count, s_.made, s_.tail, args,
                        s_.out.plane(group * group_ + n, first_block + b),
                        (first_block + b) * s_.out.block);
      }
    });
  }

  void multiply(int64_t first_block, int64_t blocks, int64_t first, int64_t rows, const float* v,
                const KernelArgs& args, float* u, float* m) const {
    const auto* g = reinterpret_cast<const float*>(args.packed);
    const int64_t block = s_.in.block;
    for (int64_t c = 0; c < s_.in.padded(); c += inputs) {
      const int64_t depth = std::min(inputs, s_.in.padded() - c);
      for (int64_t b = 0; b < blocks; ++b) {
        const int64_t panel = b / vectors_ * vectors_;
        const int64_t width = std::min(vectors_, blocks - panel) * block;
        s_.transform(g + s_.packed((first_block + b) * s_.in.padded() + c), depth,
                     u + panel * block * inputs + (b - panel) * block, width, u_point());
      }
      for (int64_t point = 0; point < s_.plane.points(); ++point) {
        for (int64_t b = 0; b < blocks; b += vectors_) {
          s_.multiply(v_, v + point * v_.point() + v_.offset(first, c / block), rows, depth,
                      u + point * u_point() + b * block * inputs, std::min(vectors_, blocks - b),
                      m_, m + point * m_.point() + m_.offset(0, b), c > 0,
                      point + 1 < s_.plane.points() ? v_.point() : 0);
        }
      }
    }
  }

  Sides s_;
  int64_t vectors_ = kernels::product_vectors();
  int64_t group_ = 1;  // images
  int64_t parts_ = 1;  // pieces of a group's tiles
  WinogradTiles v_, m_;
};

std::unique_ptr<Kernel> apply(const Sides& s) {
  if (s.plane.points() * s.in.padded() * s.out.padded() * 4 > large_weights) {
    return std::make_unique<PhasedApply>(s);
  }
  return std::make_unique<ChunkedApply>(s);
}

}  // namespace

std::unique_ptr<Kernel> winograd_forward(const ConvShape& s, int64_t tile, const KernelSite& site,
                                         const onednn::ConvTail& tail) {
  return apply({.plane = {tile, s.ih, s.iw, s.oh, s.ow, s.pad_top, s.pad_left, channel_block()},
                .in = {s.ic, s.ih, s.iw},
                .out = {s.oc, s.oh, s.ow},
                .images = s.n,
                .turned = false,
                .source = {site, 0},
                .weights = site.input<float>(1),
                .made = {site, 0},
                .tail = {site, tail}});
}

std::unique_ptr<Kernel> winograd_grad_input(const ConvShape& s, int64_t tile,
                                            const KernelSite& site) {
  return apply(
      {.plane = {tile, s.oh, s.ow, s.ih, s.iw, 2 - s.pad_top, 2 - s.pad_left, channel_block()},
       .in = {s.oc, s.oh, s.ow},
       .out = {s.ic, s.ih, s.iw},
       .images = s.n,
       .turned = true,
       .source = {site, 0},
       .weights = site.input<float>(1),
       .made = {site, 0},
       .tail = {site, {}}});
}

}  // namespace convoy::ops
