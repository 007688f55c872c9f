// A task takes one block of channels of one image and goes down its rows. The rows that the window
// covers are in the thread's scratch, spread over the lanes (kernels/conv/grouped.h). The input
// gradient is the same loop over d_y: with stride s the pixels of x form s classes per side, each
// with its own taps of the window.

#include "ops/conv/grouped_conv.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ops/conv/folded/conv_tail.h"
#include "ops/conv/grouped_rows.h"
#include "ops/slices.h"
#include "ops/stored.h"
#include "tensor/isa.h"

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

int64_t members_of(const ConvShape& s) { return s.ic / s.groups; }

// Whether the CPU multiplies pairs of the stored numbers; else they are widened.
bool multiplies_pairs(DType stored) {
  return stored == DType::bf16 && has_bf16_products(isa_level());
}

class Apply : public Kernel {
 public:
  Apply(const ConvShape& s, ConvPass pass, const KernelSite& site, const onednn::ConvTail& tail)
      : in_(site, 0),
        w_(site.input<float>(1)),
        out_(site, 0),
        tail_(site, tail),
        forward_(pass == ConvPass::forward),
        images_(s.n),
        channels_(s.ic),
        members_(members_of(s)),
        pairs_(multiplies_pairs(in_.type()) && members_ % 2 == 0),
        copies_(pairs_ ? members_ / 2 : members_),
        kh_(s.kh),
        kw_(s.kw),
        block_(channel_block()),
        blocks_(divide_up(s.ic, block_)),
        high_(forward_ ? Side::forward(s.ih, s.oh, s.kh, s.stride_h, s.pad_top)
                       : Side::backward(s.ih, s.oh, s.kh, s.stride_h, s.pad_top)),
        wide_(forward_ ? Side::forward(s.iw, s.ow, s.kw, s.stride_w, s.pad_left)
                       : Side::backward(s.iw, s.ow, s.kw, s.stride_w, s.pad_left)),
        spread_(wide_, s.kh, copies_, block_) {
    int64_t at = 0;
    for (const auto& widths : wide_.taps) {
      for (const auto& heights : high_.taps) {
        starts_.push_back(at);
        at += ssize(heights) * ssize(widths) * copies_ * block_;
      }
    }
  }

  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? blocks_ : images_ * blocks_);
  }
  int packing_phases() const override { return 1; }
  size_t packed_bytes() const override { return float_bytes(blocks_ * weights()); }
  size_t worker_scratch_bytes() const override { return spread_.bytes(); }
  std::string implementation() const override { return pairs_ ? "grouped:bf16" : "grouped"; }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* packed = reinterpret_cast<float*>(args.packed);
    if (phase == 0) {
      pack(task, w_(args), packed + task * weights());
      return;
    }
    const std::byte* source = in_.at(args, task * high_.source * wide_.source * block_);
    std::byte* made = out_.at(args, task * high_.made * wide_.made * block_);
    const float* w = packed + task % blocks_ * weights();
    const float* shift = tail_.shift(args, task % blocks_ * block_);
    auto* memory = reinterpret_cast<float*>(args.worker_scratch);
    if (in_.type() == DType::f16) {
      plane(reinterpret_cast<const F16*>(source), w, shift, memory, reinterpret_cast<F16*>(made));
    } else if (in_.type() == DType::bf16) {
      plane(reinterpret_cast<const Bf16*>(source), w, shift, memory, reinterpret_cast<Bf16*>(made));
    } else {
      plane(reinterpret_cast<const float*>(source), w, shift, memory,
            reinterpret_cast<float*>(made));
    }
  }

 private:
  int64_t weights() const { return kh_ * kw_ * copies_ * block_; }

  // [class of columns][class of rows][tap of the height][member or pair][tap of the width][lane]
  void pack(int64_t block, const float* w, float* to) const {
    for (const auto& widths : wide_.taps) {
      for (const auto& heights : high_.taps) {
        for (const Side::Tap& h : heights) {
          for (int64_t i = 0; i < copies_; ++i) {
            for (const Side::Tap& v : widths) {
              for (int64_t lane = 0; lane < block_; ++lane) put(w, block, lane, i, h, v, to++);
            }
          }
        }
      }
    }
  }
  void put(const float* w, int64_t block, int64_t lane, int64_t i, const Side::Tap& h,
           const Side::Tap& v, float* to) const {
    if (pairs_) {
      *reinterpret_cast<kernels::Bf16Pair*>(to) =
          kernels::pair_of(narrowed(weight(w, block, lane, 2 * i, h, v)),
                           narrowed(weight(w, block, lane, 2 * i + 1, h, v)));
    } else {
      *to = weight(w, block, lane, i, h, v);
    }
  }
  float weight(const float* w, int64_t block, int64_t lane, int64_t i, const Side::Tap& h,
               const Side::Tap& v) const {
    const int64_t channel = block * block_ + lane;
    if (channel >= channels_) return 0;
    const int64_t first = channel / members_ * members_;
    const int64_t o = forward_ ? channel : first + i, c = forward_ ? i : channel - first;
    return w[((o * members_ + c) * kh_ + h.tap) * kw_ + v.tap];
  }

  // `shift`: null without a tail.
  template <class T>
  void plane(const T* source, const float* w, const float* shift, float* memory, T* made) const {
    spread_.clear(memory);
    int64_t next = 0;  // the first source row that is not in the ring yet
    std::array<const float*, most_taps> rows;
    std::array<int64_t, most_taps> columns;
    for (int64_t r = 0; r < high_.made; ++r) {
      const int64_t row_class = r % high_.classes, at = r / high_.classes * high_.step;
      const auto& heights = high_.of(row_class);
      // Rows outside the source are zero: skips their taps, which are the first or the last ones.
      size_t first = 0, last = heights.size();
      while (first < last && at + heights[first].offset < 0) ++first;
      while (last > first && at + heights[last - 1].offset >= high_.source) --last;
      for (size_t t = first; t < last; ++t) {
        const int64_t row = at + heights[t].offset;
        while (next <= row) fill(memory, next++, source);
        rows[t - first] = spread_.row(memory, row);
      }
      for (int64_t c = 0; c < wide_.classes; ++c) {
        const auto& widths = wide_.of(c);
        const auto one = static_cast<int64_t>(widths.size()) * copies_ * block_;  // of a height
        const float* mine = w + starts_[static_cast<size_t>(c * high_.classes + row_class)];
        for (size_t t = 0; t < widths.size(); ++t) columns[t] = widths[t].offset + spread_.margin();
        const kernels::GroupedRow row{.count = wide_.count(c),
                                      .block = block_,
                                      .members = copies_,
                                      .heights = static_cast<int64_t>(last - first),
                                      .widths = ssize(widths),
                                      .rows = rows.data(),
                                      .stride = spread_.stride(),
                                      .columns = columns.data(),
                                      .step = wide_.step,
                                      .y_step = wide_.classes};
        make_row(row, mine + static_cast<int64_t>(first) * one,
                 made + (r * wide_.made + c) * block_);
      }
      if (shift) finish_row(shift, made + r * wide_.made * block_);
    }
  }

  // The tail of a row, which is still in the cache.
  template <class T>
  void finish_row(const float* shift, T* row) const {
    alignas(64) static constexpr auto ones = [] {
      std::array<float, 16> all{};
      all.fill(1);
      return all;
    }();
    kernels::norm_apply({.pixels = wide_.made, .block = block_}, row, nullptr, ones.data(), shift,
                        tail_.act(), row);
  }

  template <class T>
  void fill(float* memory, int64_t row, const T* plane) const {
    spread_.fill(memory, row, plane);
  }
  void fill(float* memory, int64_t row, const Bf16* plane) const {
    pairs_ ? spread_.fill_channels(memory, row, plane) : spread_.fill(memory, row, plane);
  }
  template <class T>
  static void make_row(const kernels::GroupedRow& row, const float* w, T* y) {
    kernels::grouped_row(row, w, y);
  }
  void make_row(const kernels::GroupedRow& row, const float* w, Bf16* y) const {
    pairs_ ? kernels::grouped_pairs_row(row, reinterpret_cast<const kernels::Bf16Pair*>(w), y)
           : kernels::grouped_row(row, w, y);
  }

  StoredIn in_;
  In<float> w_;
  StoredOut out_;
  TailInputs tail_;
  bool forward_;
  int64_t images_, channels_, members_;
  bool pairs_;      // spread rows and packed weights are pairs of bf16
  int64_t copies_;  // of a spread row
  int64_t kh_, kw_, block_, blocks_;
  Side high_, wide_;
  SpreadRows spread_;
  std::vector<int64_t> starts_;  // of the packed weights of each class of columns and rows
};

// The partial sum of a slice: [block of channels][tap of the height][member][tap of the
// width][lane].
class GradWeights : public Kernel {
 public:
  GradWeights(const ConvShape& s, const KernelSite& site)
      : x_(site, 0),
        d_y_(site, 1),
        d_w_(site.output<float>(0)),
        s_(s),
        members_(members_of(s)),
        pairs_(multiplies_pairs(x_.type())),
        block_(channel_block()),
        blocks_(divide_up(s.ic, block_)),
        // Blocks are tasks too, so few slices are enough.
        slices_(Slices::cut(s.n, site.replicas,
                            std::max<int64_t>(1, s.n / site.replicas * blocks_ / 64))),
        spread_(Side::forward(s.iw, s.ow, s.kw, s.stride_w, s.pad_left), s.kh, members_, block_) {}

  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? slices_.tasks() * blocks_ : blocks_);
  }
  size_t scratch_bytes() const override { return float_bytes(slices_.tasks() * partial()); }
  size_t worker_scratch_bytes() const override { return spread_.bytes(); }
  std::string implementation() const override { return pairs_ ? "grouped:bf16" : "grouped"; }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) {
      const int64_t slice = task / blocks_, b = task % blocks_;
      run_slice(slice, b, args, sums + slice * partial() + b * sum());
    } else {
      float* mine = sums + task * sum();
      sum_slices(slices_, mine, partial(), sum());
      unpack(task, mine, d_w_(args));
    }
  }

 private:
  int64_t sum() const { return s_.kh * s_.kw * members_ * block_; }
  int64_t partial() const { return blocks_ * sum(); }

  void run_slice(int64_t slice, int64_t b, const KernelArgs& args, float* sums) const {
    auto* memory = reinterpret_cast<float*>(args.worker_scratch);
    std::fill_n(sums, sum(), 0.0f);
    spread_.clear(memory);
    const int64_t first = slices_.first(slice);
    for (int64_t n = first; n < first + slices_.count(slice); ++n) {
      const std::byte* x = x_.at(args, (n * blocks_ + b) * s_.ih * s_.iw * block_);
      const std::byte* d_y = d_y_.at(args, (n * blocks_ + b) * s_.oh * s_.ow * block_);
      if (x_.type() == DType::f16) {
        plane(reinterpret_cast<const F16*>(x), reinterpret_cast<const F16*>(d_y), memory, sums);
      } else if (x_.type() == DType::bf16) {
        plane(reinterpret_cast<const Bf16*>(x), reinterpret_cast<const Bf16*>(d_y), memory, sums);
      } else {
        plane(reinterpret_cast<const float*>(x), reinterpret_cast<const float*>(d_y), memory, sums);
      }
    }
  }

  template <class T>
  void plane(const T* x, const T* d_y, float* memory, float* sums) const {
    int64_t next = 0;
    std::array<const float*, most_taps> rows;
    std::array<int64_t, most_taps> columns;
    for (int64_t t = 0; t < s_.kw; ++t) columns[size_t(t)] = t - s_.pad_left + spread_.margin();
    for (int64_t r = 0; r < s_.oh; ++r) {
      const int64_t top = r * s_.stride_h - s_.pad_top;
      const int64_t first = std::max<int64_t>(0, -top), last = std::min(s_.kh, s_.ih - top);
      for (int64_t t = first; t < last; ++t) {
        while (next <= top + t) fill(memory, next++, x);
        rows[size_t(t - first)] = spread_.row(memory, top + t);
      }
      if (first >= last) continue;
      const kernels::GroupedRow row{.count = s_.ow,
                                    .block = block_,
                                    .members = members_,
                                    .heights = last - first,
                                    .widths = s_.kw,
                                    .rows = rows.data(),
                                    .stride = spread_.stride(),
                                    .columns = columns.data(),
                                    .step = s_.stride_w,
                                    .y_step = 1};
      add_row(row, d_y + r * s_.ow * block_, sums + first * members_ * s_.kw * block_);
    }
  }

  template <class T>
  void fill(float* memory, int64_t row, const T* plane) const {
    spread_.fill(memory, row, plane);
  }
  void fill(float* memory, int64_t row, const Bf16* plane) const {
    pairs_ ? spread_.fill_pixels(memory, row, plane, s_.stride_w)
           : spread_.fill(memory, row, plane);
  }
  template <class T>
  static void add_row(const kernels::GroupedRow& row, const T* d_y, float* sums) {
    kernels::grouped_row_grad(row, d_y, sums);
  }
  void add_row(const kernels::GroupedRow& row, const Bf16* d_y, float* sums) const {
    pairs_ ? kernels::grouped_pairs_row_grad(row, d_y, sums)
           : kernels::grouped_row_grad(row, d_y, sums);
  }

  void unpack(int64_t b, const float* sums, float* d_w) const {
    const int64_t count = std::min(block_, s_.ic - b * block_);
    for (int64_t lane = 0; lane < count; ++lane) {
      float* to = d_w + (b * block_ + lane) * members_ * s_.kh * s_.kw;
      for (int64_t i = 0; i < members_; ++i) {
        for (int64_t h = 0; h < s_.kh; ++h) {
          for (int64_t w = 0; w < s_.kw; ++w) {
            *to++ = sums[((h * members_ + i) * s_.kw + w) * block_ + lane];
          }
        }
      }
    }
  }

  StoredIn x_, d_y_;
  Out<float> d_w_;
  ConvShape s_;
  int64_t members_;
  bool pairs_;  // spread rows are pairs of bf16
  int64_t block_, blocks_;
  Slices slices_;
  SpreadRows spread_;
};

}  // namespace

bool fits_grouped(const ConvShape& s) {
  return s.groups > 1 && s.ic == s.oc && s.kh <= most_taps && s.kw <= most_taps &&
         kernels::groups_fit(members_of(s), channel_block());
}

bool prefers_grouped(const ConvShape& s, ConvPass pass) {
  if (!fits_grouped(s)) return false;
  const bool depthwise = members_of(s) == 1;
  // oneDNN has kernels for groups of whole blocks, and for depthwise with whole blocks of channels.
  if (!depthwise) return members_of(s) < channel_block();
  if (s.groups % channel_block() != 0) return true;
  return pass == ConvPass::grad_weights && !(s.kh == 3 && s.kw == 3);
}

std::unique_ptr<Kernel> grouped_apply(const ConvShape& s, ConvPass pass, const KernelSite& site,
                                      const onednn::ConvTail& tail) {
  expect(!tail.adds, "a convolution in groups that adds no image");
  return std::make_unique<Apply>(s, pass, site, tail);
}
std::unique_ptr<Kernel> grouped_grad_weights(const ConvShape& s, const KernelSite& site) {
  return std::make_unique<GradWeights>(s, site);
}

}  // namespace convoy::ops
