#include "ops/conv/grad_weights_by_outputs.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/conv/direct_conv.h"
#include "ops/conv/pack_weights.h"
#include "ops/slices.h"

namespace convoy::ops {
namespace {

using onednn::Convolution;
using onednn::ConvPass;
using onednn::ConvShape;

// Enough tasks for 16 threads. A part's gradient stays in a core's cache if it is narrow; wide
// parts transform x less often.
constexpr int64_t wanted_tasks = 16;
int64_t part_of(const ConvShape& s) { return s.oc % 128 == 0 && s.oc >= 1024 ? 128 : 64; }

// Groups of images, so that there are enough tasks; at least four images each.
Slices groups_of(const ConvShape& s, int64_t replicas) {
  const int64_t batch = s.n / replicas, parts = s.oc / part_of(s);
  const int64_t groups = std::clamp<int64_t>(wanted_tasks / parts, 1, divide_up(batch, 4));
  return {batch, replicas, divide_up(batch, groups)};
}

ConvShape part_shape(ConvShape s, int64_t images) {
  s.n = images;
  s.oc = part_of(s);
  return s;
}

class ByOutputs : public Kernel {
 public:
  ByOutputs(const ConvShape& s, const KernelSite& site)
      : x_(site.input<Bf16>(0)),
        d_y_(site.input<Bf16>(1)),
        d_w_(site.output<float>(0)),
        part_(part_of(s)),
        parts_(s.oc / part_),
        groups_(groups_of(s, site.replicas)),
        full_(part_shape(s, groups_.size), ConvPass::grad_weights),
        x_stride_(stored_count({{1, s.ic, s.ih, s.iw}, DType::bf16, s.x})),
        part_stride_(part_ * s.oh * s.ow),
        sums_(round_up(full_.packing().packed_count(), 16)),
        weights_(part_ * s.ic * s.kh * s.kw) {
    if (groups_.tail())
      tail_.emplace(part_shape(s, groups_.tail()), ConvPass::grad_weights, &full_);
  }

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    if (phase == 0) return static_cast<int>(groups_.tasks() * parts_);
    if (phase == 1) return groups_.tasks() > 1 ? chunks().tasks() : 0;
    return static_cast<int>(parts_ * full_.packing().tasks());
  }
  size_t scratch_bytes() const override { return float_bytes(groups_.tasks() * stride()); }
  size_t worker_scratch_bytes() const override {
    return library_bytes() + static_cast<size_t>(groups_.size * part_stride_) * sizeof(Bf16);
  }
  std::string implementation() const override { return full_.implementation() + ", by outputs"; }
  void prepare(int workers) const override {
    full_.prepare(workers);
    if (tail_) tail_->prepare(workers);
  }

  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) {
      run_part(task / parts_, task % parts_, args, sums);
    } else if (phase == 1) {
      sum_slices(groups_, sums + chunks().begin(task), stride(), chunks().length(task));
    } else {
      const int tasks = full_.packing().tasks(), part = task / tasks;
      unpack_weights(full_.packing(), task % tasks, sums + part * sums_,
                     d_w_(args) + part * weights_);
    }
  }

 private:
  int64_t stride() const { return parts_ * sums_; }
  Chunks chunks() const { return {stride(), 2048}; }
  size_t library_bytes() const {
    const size_t most = std::max(full_.scratchpad_bytes(), tail_ ? tail_->scratchpad_bytes() : 0);
    return static_cast<size_t>(round_up(static_cast<int64_t>(most), 64));
  }

  void run_part(int64_t group, int64_t part, const KernelArgs& args, float* sums) const {
    const int64_t first = groups_.first(group), count = groups_.count(group);
    auto* mine = reinterpret_cast<Bf16*>(args.worker_scratch + library_bytes());
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(mine + i * part_stride_,
                  d_y_(args) + ((first + i) * parts_ + part) * part_stride_,
                  static_cast<size_t>(part_stride_) * sizeof(Bf16));
    }
    const Convolution& conv = count == groups_.size ? full_ : *tail_;
    conv.run(args.worker, const_cast<Bf16*>(x_(args)) + first * x_stride_,
             sums + group * stride() + part * sums_, mine, args.worker_scratch);
  }

  In<Bf16> x_, d_y_;
  Out<float> d_w_;
  int64_t part_, parts_;  // output channels of a part; parts
  Slices groups_;
  Convolution full_;
  std::optional<Convolution> tail_;
  int64_t x_stride_, part_stride_;  // elements of an image of x, and of a part of d_y
  int64_t sums_, weights_;          // numbers of a part's gradient, packed and plain
};

}  // namespace

bool prefers_parts_of_outputs(const ConvShape& s) {
  return multiplies_bf16(s, ConvPass::grad_weights, isa_level()) && s.groups == 1 &&
         s.x == Layout::blocked && s.y == Layout::blocked && s.oc % 64 == 0 && s.ih >= s.kh &&
         s.iw >= s.kw && s.oc * s.ic * s.kh * s.kw > 128 * 1024 && s.oh * s.ow <= 256;
}

std::unique_ptr<Kernel> grad_weights_by_outputs(const ConvShape& s, const KernelSite& site) {
  return std::make_unique<ByOutputs>(s, site);
}

}  // namespace convoy::ops
