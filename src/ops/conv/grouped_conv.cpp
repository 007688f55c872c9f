// A task takes one block of channels of one image and goes down its rows. The rows that the window
// covers are in the thread's scratch, spread over the lanes (kernels/conv/grouped.h). The input
// gradient is the same loop over d_y: with stride s the pixels of x form s classes per side, each
// with its own taps of the window.

#include "ops/conv/grouped_conv.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/conv/grouped.h"
#include "ops/slices.h"
#include "tensor/isa.h"

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

constexpr int64_t most_taps = 16;  // per side of the window

int64_t members_of(const ConvShape& s) { return s.ic / s.groups; }

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

// A ring of the rows of one plane that the window needs, spread over the lanes.
class SpreadRows {
 public:
  SpreadRows(const Side& columns, int64_t window, int64_t members, int64_t block)
      : spread_{columns.source, block, members, 0},
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
  void fill(float* memory, int64_t source_row, const float* plane) const {
    kernels::grouped_spread(spread_, plane + source_row * spread_.pixels * spread_.block,
                            row(memory, source_row) + margin_ * spread_.block);
  }

 private:
  kernels::GroupedSpread spread_;
  int64_t window_, margin_, behind_;
};

class Apply : public Kernel {
 public:
  Apply(const ConvShape& s, ConvPass pass, const KernelSite& site)
      : in_(site.input<float>(0)),
        w_(site.input<float>(1)),
        out_(site.output<float>(0)),
        forward_(pass == ConvPass::forward),
        images_(s.n),
        channels_(s.ic),
        members_(members_of(s)),
        kh_(s.kh),
        kw_(s.kw),
        block_(channel_block()),
        blocks_(divide_up(s.ic, block_)),
        high_(forward_ ? Side::forward(s.ih, s.oh, s.kh, s.stride_h, s.pad_top)
                       : Side::backward(s.ih, s.oh, s.kh, s.stride_h, s.pad_top)),
        wide_(forward_ ? Side::forward(s.iw, s.ow, s.kw, s.stride_w, s.pad_left)
                       : Side::backward(s.iw, s.ow, s.kw, s.stride_w, s.pad_left)),
        spread_(wide_, s.kh, members_, block_) {
    int64_t at = 0;
    for (const auto& widths : wide_.taps) {
      for (const auto& heights : high_.taps) {
        starts_.push_back(at);
        at += ssize(heights) * ssize(widths) * members_ * block_;
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
  std::string implementation() const override { return "grouped"; }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* packed = reinterpret_cast<float*>(args.packed);
    if (phase == 0) return pack(task, w_(args), packed + task * weights());
    const float* source = in_(args) + task * high_.source * wide_.source * block_;
    float* made = out_(args) + task * high_.made * wide_.made * block_;
    plane(source, packed + task % blocks_ * weights(),
          reinterpret_cast<float*>(args.worker_scratch), made);
  }

 private:
  int64_t weights() const { return kh_ * kw_ * members_ * block_; }

  // [class of columns][class of rows][tap of the height][member][tap of the width][lane]
  void pack(int64_t block, const float* w, float* to) const {
    for (const auto& widths : wide_.taps) {
      for (const auto& heights : high_.taps) {
        for (const Side::Tap& h : heights) {
          for (int64_t i = 0; i < members_; ++i) {
            for (const Side::Tap& v : widths) {
              for (int64_t lane = 0; lane < block_; ++lane) *to++ = weight(w, block, lane, i, h, v);
            }
          }
        }
      }
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

  void plane(const float* source, const float* w, float* memory, float* made) const {
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
        while (next <= row) spread_.fill(memory, next++, source);
        rows[t - first] = spread_.row(memory, row);
      }
      for (int64_t c = 0; c < wide_.classes; ++c) {
        const auto& widths = wide_.of(c);
        const auto one = static_cast<int64_t>(widths.size()) * members_ * block_;  // of a height
        const float* mine = w + starts_[static_cast<size_t>(c * high_.classes + row_class)];
        for (size_t t = 0; t < widths.size(); ++t) columns[t] = widths[t].offset + spread_.margin();
        const kernels::GroupedRow row{.count = wide_.count(c),
                                      .block = block_,
                                      .members = members_,
                                      .heights = static_cast<int64_t>(last - first),
                                      .widths = ssize(widths),
                                      .rows = rows.data(),
                                      .stride = spread_.stride(),
                                      .columns = columns.data(),
                                      .step = wide_.step,
                                      .y_step = wide_.classes};
        kernels::grouped_row(row, mine + static_cast<int64_t>(first) * one,
                             made + (r * wide_.made + c) * block_);
      }
    }
  }

  In<float> in_, w_;
  Out<float> out_;
  bool forward_;
  int64_t images_, channels_, members_, kh_, kw_, block_, blocks_;
  Side high_, wide_;
  SpreadRows spread_;
  std::vector<int64_t> starts_;  // of the packed weights of each class of columns and rows
};

// The partial sum of a slice: [block of channels][tap of the height][member][tap of the
// width][lane].
class GradWeights : public Kernel {
 public:
  GradWeights(const ConvShape& s, const KernelSite& site)
      : x_(site.input<float>(0)),
        d_y_(site.input<float>(1)),
        d_w_(site.output<float>(0)),
        s_(s),
        members_(members_of(s)),
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
  std::string implementation() const override { return "grouped"; }

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
      plane(x_(args) + (n * blocks_ + b) * s_.ih * s_.iw * block_,
            d_y_(args) + (n * blocks_ + b) * s_.oh * s_.ow * block_, memory, sums);
    }
  }

  void plane(const float* x, const float* d_y, float* memory, float* sums) const {
    int64_t next = 0;
    std::array<const float*, most_taps> rows;
    std::array<int64_t, most_taps> columns;
    for (int64_t t = 0; t < s_.kw; ++t) columns[size_t(t)] = t - s_.pad_left + spread_.margin();
    for (int64_t r = 0; r < s_.oh; ++r) {
      const int64_t top = r * s_.stride_h - s_.pad_top;
      const int64_t first = std::max<int64_t>(0, -top), last = std::min(s_.kh, s_.ih - top);
      for (int64_t t = first; t < last; ++t) {
        while (next <= top + t) spread_.fill(memory, next++, x);
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
      kernels::grouped_row_grad(row, d_y + r * s_.ow * block_,
                                sums + first * members_ * s_.kw * block_);
    }
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

  In<float> x_, d_y_;
  Out<float> d_w_;
  ConvShape s_;
  int64_t members_, block_, blocks_;
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

std::unique_ptr<Kernel> grouped_apply(const ConvShape& s, ConvPass pass, const KernelSite& site) {
  return std::make_unique<Apply>(s, pass, site);
}
std::unique_ptr<Kernel> grouped_grad_weights(const ConvShape& s, const KernelSite& site) {
  return std::make_unique<GradWeights>(s, site);
}

}  // namespace convoy::ops
