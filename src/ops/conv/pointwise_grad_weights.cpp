// A task sums the pixels of some images for a part of the outputs. Chunks of pixels are written as
// pairs into the thread's scratch, where they stay in the cache, and multiplied.

#include "ops/conv/pointwise_grad_weights.h"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/product_bf16.h"
#include "kernels/transpose.h"
#include "ops/slices.h"
#include "tensor/isa.h"

namespace convoy::ops {
namespace {

using onednn::ConvShape;

constexpr int64_t lanes = 16;  // channels of a block

int64_t blocks_of(int64_t channels) { return divide_up(channels, lanes); }

// How outputs and images are divided.
struct Division {
  int64_t part;  // blocks of outputs
  Slices groups;

  // Enough tasks for 16 threads, with the least memory traffic: each part reads x, and each group
  // of images has a partial sum, which is written (the line is read first) and read. A part's sums
  // stay in a core's cache.
  static Division of(const ConvShape& s, int64_t replicas) {
    constexpr int64_t tasks = 16, most_sums = 96 * 1024;
    const int64_t batch = s.n / replicas, in = blocks_of(s.ic) * lanes, out = blocks_of(s.oc);
    const int64_t x_bytes = batch * in * s.ih * s.iw * 2, sum_bytes = in * out * lanes * 12;
    Division best{};
    int64_t least = 0;
    for (int64_t part = out; part >= 1; part = part > 4 ? round_up(part / 2, 4) : 0) {
      if (part > 4 && in * part * lanes > most_sums) continue;
      const int64_t parts = divide_up(out, part);
      const int64_t groups = std::clamp<int64_t>(divide_up(tasks, parts), 1, batch);
      const int64_t bytes = parts * x_bytes + groups * sum_bytes;
      if (best.part != 0 && bytes >= least) continue;
      best = {part, {batch, replicas, divide_up(batch, groups)}};
      least = bytes;
    }
    return best;
  }
};

class PointwiseGradWeights : public Kernel {
 public:
  PointwiseGradWeights(const ConvShape& s, const KernelSite& site)
      : x_(site.input<Bf16>(0)),
        d_y_(site.input<Bf16>(1)),
        d_w_(site.output<float>(0)),
        s_(s),
        in_(blocks_of(s.ic)),
        out_(blocks_of(s.oc)),
        part_(Division::of(s, site.replicas).part),
        groups_(Division::of(s, site.replicas).groups),
        // With a stride the pixels of a row are paired among themselves.
        lines_(s.stride_h == 1 ? 1 : s.oh),
        line_(s.oh * s.ow / lines_),
        most_pairs_(std::clamp<int64_t>((1 << 18) / (in_ * lanes * 4), 32, 128)) {}

  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>((phase == 0 ? groups_.tasks() : in_) * parts());
  }
  size_t scratch_bytes() const override { return float_bytes(groups_.tasks() * stride()); }
  size_t worker_scratch_bytes() const override {
    return float_bytes((in_ + part_) * most_pairs_ * lanes);
  }
  std::string implementation() const override { return "pointwise:bf16"; }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) {
      const int64_t group = task / parts(), part = task % parts();
      run_part(group, part, args, sums + group * stride() + part * part_sums());
    } else {
      unpack(task / parts(), task % parts(), sums, d_w_(args));
    }
  }

 private:
  int64_t parts() const { return divide_up(out_, part_); }
  // Sums of a part: [input][output of the part].
  int64_t part_sums() const { return in_ * lanes * part_ * lanes; }
  int64_t stride() const { return parts() * part_sums(); }

  void run_part(int64_t group, int64_t part, const KernelArgs& args, float* sums) const {
    auto* a = reinterpret_cast<uint32_t*>(args.worker_scratch);
    uint32_t* b = a + in_ * most_pairs_ * lanes;
    const int64_t first_block = part * part_, blocks = std::min(part_, out_ - first_block);
    int64_t pairs = 0;
    bool add = false;
    const auto flush = [&](std::span<const Bf16* const> next_read) {
      kernels::product_of_pixels({pairs, in_, blocks, most_pairs_ * lanes, most_pairs_ * lanes,
                                  part_ * lanes, add, next_read},
                                 a, b, sums);
      pairs = 0;
      add = true;
    };
    const int64_t first = groups_.first(group), end = first + groups_.count(group);
    std::array<const Bf16*, 256> next;
    for (int64_t n = first; n < end; ++n) {
      for (int64_t line = 0; line < lines_; ++line) {
        for (int64_t at = 0; at < line_;) {
          const int64_t count = std::min(line_ - at, 2 * (most_pairs_ - pairs));
          for (int64_t i = 0; i < in_; ++i) {
            kernels::pair_pixels(x_(args) + x_at(n, i, line, at), count, s_.stride_w,
                                 a + (i * most_pairs_ + pairs) * lanes);
          }
          for (int64_t o = 0; o < blocks; ++o) {
            kernels::pair_pixels(d_y_(args) + y_at(n, first_block + o, line, at), count, 1,
                                 b + (o * most_pairs_ + pairs) * lanes);
          }
          at += count;
          pairs += divide_up(count, 2);
          if (pairs < most_pairs_) continue;
          // The next pixels are in this image or the next one.
          size_t known = 0;
          const int64_t after = at < line_ ? n : n + 1, pixel = at < line_ ? at : 0;
          if (lines_ == 1 && after < end) {
            for (int64_t i = 0; i < in_ && known < next.size(); ++i)
              next[known++] = x_(args) + x_at(after, i, 0, pixel);
            for (int64_t o = 0; o < blocks && known < next.size(); ++o)
              next[known++] = d_y_(args) + y_at(after, first_block + o, 0, pixel);
          }
          flush(std::span(next).first(known));
        }
      }
    }
    if (pairs > 0) flush({});
  }

  // Where pixels of block i of image n begin.
  int64_t x_at(int64_t n, int64_t i, int64_t line, int64_t at) const {
    const int64_t row = line * s_.stride_h * s_.iw;
    return ((n * in_ + i) * s_.ih * s_.iw + row + at * s_.stride_w) * lanes;
  }
  int64_t y_at(int64_t n, int64_t o, int64_t line, int64_t at) const {
    return ((n * out_ + o) * s_.oh * s_.ow + line * line_ + at) * lanes;
  }

  // Sums all groups for a block of inputs and a part of the outputs, and writes the filters.
  void unpack(int64_t in_block, int64_t part, float* sums, float* d_w) const {
    const int64_t c = in_block * lanes, o = part * part_ * lanes;
    const int64_t rows = std::min(lanes, s_.ic - c), columns = std::min(part_ * lanes, s_.oc - o);
    float* from = sums + part * part_sums() + c * part_ * lanes;
    sum_slices(groups_, from, stride(), lanes * part_ * lanes);
    float* to = d_w + o * s_.ic + c;
    if (rows == lanes) {
      kernels::transpose({lanes, columns, lanes, part_ * lanes, s_.ic}, from, to);
      return;
    }
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i) to[j * s_.ic + i] = from[i * part_ * lanes + j];
    }
  }

  In<Bf16> x_, d_y_;
  Out<float> d_w_;
  ConvShape s_;
  int64_t in_, out_;  // blocks of channels
  int64_t part_;      // blocks of outputs
  Slices groups_;
  int64_t lines_, line_;  // of an image's outputs, and pixels of each
  int64_t most_pairs_;    // of pixels, in the scratch
};

}  // namespace

bool prefers_pointwise_grad_weights(const ConvShape& s) {
  return s.stored == DType::bf16 && has_bf16_products(isa_level()) && s.kh == 1 && s.kw == 1 &&
         s.groups == 1 && s.x == Layout::blocked && s.y == Layout::blocked && s.pad_top == 0 &&
         s.pad_left == 0 && s.pad_bottom == 0 && s.pad_right == 0 && s.oh * s.ow >= 16;
}

std::unique_ptr<Kernel> pointwise_grad_weights(const ConvShape& s, const KernelSite& site) {
  return std::make_unique<PointwiseGradWeights>(s, site);
}

}  // namespace convoy::ops
