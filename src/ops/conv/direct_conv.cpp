#include "ops/conv/direct_conv.h"

#include <algorithm>
#include <optional>

#include "kernels/elementwise.h"
#include "ops/conv/folded/conv_tail.h"
#include "ops/conv/pack_weights.h"
#include "ops/slices.h"
#include "ops/stored.h"

namespace convoy::ops {
namespace {

using onednn::Convolution;
using onednn::ConvPass;
using onednn::ConvShape;

// The convolution of `images` images as the library gets it.
ConvShape library_shape(ConvShape s, ConvPass pass, int64_t images) {
  s.n = images;
  if (!multiplies_bf16(s, pass, isa_level())) s.stored = DType::f32;
  return s;
}

// What the tail of a forward pass reads for a slice.
struct SliceTail {
  const float* shift = nullptr;
  const std::byte* residual = nullptr;  // null: none
};

// Base of the three passes: the primitive of a full slice, and one for a shorter last slice.
class SlicedConvolution : public Kernel {
 public:
  SlicedConvolution(const ConvShape& s, ConvPass pass, int64_t replicas,
                    const onednn::ConvTail& tail = {})
      : pass_(pass),
        stored_(s.stored),
        widens_(s.stored != library_shape(s, pass, 1).stored),
        slices_(Slices::cut(s.n, replicas, pass == ConvPass::grad_weights ? least_images(s) : 1)),
        full_(library_shape(s, pass, slices_.size), pass, nullptr, tail) {
    if (slices_.tail()) {
      last_.emplace(library_shape(s, pass, slices_.tail()), pass, &full_, tail);
    }
    x_stride_ = stored_count({{1, s.ic, s.ih, s.iw}, DType::f32, s.x});
    y_stride_ = stored_count({{1, s.oc, s.oh, s.ow}, DType::f32, s.y});
  }

  size_t worker_scratch_bytes() const override {
    return library_bytes() + (widens_ ? float_bytes(slices_.size * (x_stride_ + y_stride_)) : 0);
  }
  std::string implementation() const override {
    return full_.implementation() + (widens_ ? ", widened" : "");
  }
  void prepare(int workers) const override {
    full_.prepare(workers);
    if (last_) last_->prepare(workers);
  }

 protected:
  // Adding a partial sum of large weights costs about as much as 40 pixels of work, so a slice
  // needs a few times as many.
  static int64_t least_images(const ConvShape& s) {
    if (s.oc * s.ic / s.groups * s.kh * s.kw <= 64 * 1024) return 1;
    return s.oh * s.ow <= 64 ? 4 : 2;
  }

  size_t library_bytes() const {
    const size_t most = std::max(full_.scratchpad_bytes(), last_ ? last_->scratchpad_bytes() : 0);
    return static_cast<size_t>(round_up(static_cast<int64_t>(most), 64));
  }

  // Runs a slice on the addresses of its first images, as they are stored.
  void run_slice(int64_t count, const std::byte* x, void* w, const std::byte* y,
                 const KernelArgs& args, const SliceTail& tail = {}) const {
    const Convolution& conv = count == slices_.size ? full_ : *last_;
    auto* xs = const_cast<std::byte*>(x);
    auto* ys = const_cast<std::byte*>(y);
    if (!widens_) {
      // The library adds to y.
      if (tail.residual && tail.residual != ys) {
        std::copy_n(tail.residual,
                    static_cast<size_t>(count * y_stride_) * bytes_per_element(stored_), ys);
      }
      return conv.run(args.worker, xs, w, ys, args.worker_scratch, tail.shift);
    }
    auto* wide_x = reinterpret_cast<float*>(args.worker_scratch + library_bytes());
    float* wide_y = wide_x + slices_.size * x_stride_;
    if (pass_ != ConvPass::grad_input) widen(stored_, x, count * x_stride_, wide_x);
    if (pass_ != ConvPass::forward) widen(stored_, y, count * y_stride_, wide_y);
    if (tail.residual) widen(stored_, tail.residual, count * y_stride_, wide_y);
    conv.run(args.worker, wide_x, w, wide_y, args.worker_scratch, tail.shift);
    if (pass_ == ConvPass::grad_input) narrow(stored_, wide_x, count * x_stride_, xs);
    if (pass_ == ConvPass::forward) narrow(stored_, wide_y, count * y_stride_, ys);
  }

  ConvPass pass_;
  DType stored_;
  bool widens_;  // bf16 images are multiplied in fp32
  Slices slices_;
  Convolution full_;
  std::optional<Convolution> last_;
  int64_t x_stride_, y_stride_;  // elements of one image
};

// Into how many parts the outputs of each image are divided, so that a small batch occupies all
// cores. A part has its own weights, and computes the same numbers as the whole. Only in plans for
// inference, which have a tail.
int64_t parts_of(const ConvShape& s, const onednn::ConvTail& tail) {
  if (!tail.shift || s.y != Layout::blocked || (s.groups > 1 && s.x != Layout::blocked)) return 1;
  constexpr int64_t tasks = 16, least_blocks = 2;
  const int64_t block = channel_block();
  const auto divides = [&](int64_t parts) {
    if (s.groups > 1 && (s.groups % parts != 0 || s.ic % (parts * block) != 0)) return false;
    return s.oc % (parts * block) == 0 && s.oc / (parts * block) >= least_blocks;
  };
  int64_t parts = std::max<int64_t>(tasks / s.n, 1);
  while (!divides(parts) && parts > 1) --parts;
  return parts;
}

ConvShape part_of(ConvShape s, int64_t parts) {
  s.oc /= parts;
  if (s.groups == 1) return s;
  s.ic /= parts;
  s.groups /= parts;
  return s;
}

// Forward and input gradient: pack the weights, then run the slices.
class Apply : public SlicedConvolution {
 public:
  Apply(const ConvShape& s, ConvPass pass, const KernelSite& site, const onednn::ConvTail& tail)
      : SlicedConvolution(part_of(s, parts_of(s, tail)), pass, site.replicas, tail),
        in_(site, 0),
        w_(site.input<float>(1)),
        out_(site, 0),
        tail_(site, tail),
        parts_(parts_of(s, tail)),
        divides_x_(s.groups > 1),
        outputs_(s.oc / parts_),
        weights_(outputs_ * (s.ic / s.groups) * s.kh * s.kw),
        packed_(static_cast<size_t>(
            round_up(static_cast<int64_t>(full_.packing().packed_bytes()), 64))) {
    expect(parts_ == 1 || slices_.size == 1, "parts of single images");
  }

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    if (phase == 0) return full_.packing().has_padding() ? zeroes().tasks() : 0;
    return static_cast<int>(parts_ * (phase == 1 ? full_.packing().tasks() : slices_.tasks()));
  }
  int packing_phases() const override { return 2; }
  size_t packed_bytes() const override { return static_cast<size_t>(parts_) * packed_; }
  void run(int phase, int task, const KernelArgs& args) const override {
    if (phase == 0) {
      auto* packed = reinterpret_cast<float*>(args.packed);
      kernels::fill(0, packed + zeroes().begin(task), zeroes().length(task));
    } else if (phase == 1) {
      const int part = task / full_.packing().tasks();
      pack_weights(full_.packing(), task % full_.packing().tasks(), w_(args) + part * weights_,
                   packed(args, part));
    } else {
      compute(task / parts_, task % parts_, args);
    }
  }

 private:
  // Zero bits are zero in both types.
  Chunks zeroes() const { return {static_cast<int64_t>(packed_bytes() / sizeof(float))}; }
  std::byte* packed(const KernelArgs& args, int64_t part) const {
    return args.packed + static_cast<size_t>(part) * packed_;
  }

  void compute(int64_t slice, int64_t part, const KernelArgs& args) const {
    const int64_t first = slices_.first(slice), count = slices_.count(slice);
    const int64_t x_at = (divides_x_ ? first * parts_ + part : first) * x_stride_;
    const int64_t y_at = (first * parts_ + part) * y_stride_;
    if (pass_ != ConvPass::forward) {
      return run_slice(count, out_.at(args, x_at), packed(args, part), in_.at(args, y_at), args);
    }
    run_slice(count, in_.at(args, x_at), packed(args, part), out_.at(args, y_at), args,
              {tail_.shift(args, part * outputs_), tail_.residual(args, y_at)});
  }

  StoredIn in_;
  In<float> w_;
  StoredOut out_;
  TailInputs tail_;
  int64_t parts_;
  bool divides_x_;             // a part reads its own groups
  int64_t outputs_, weights_;  // of a part: output channels; weights, plain
  size_t packed_;              // of a part: bytes
};

// At some ISA levels oneDNN has only reference code, a thousand times slower, for weight gradients
// of images smaller than the window. Then images are copied into a frame of zeros.
bool needs_borders(const ConvShape& s) { return s.ih < s.kh || s.iw < s.kw; }

// The same convolution with the padding made part of the images.
ConvShape with_borders(ConvShape s) {
  s.ih += s.pad_top + s.pad_bottom;
  s.iw += s.pad_left + s.pad_right;
  s.pad_top = s.pad_left = s.pad_bottom = s.pad_right = 0;
  return s;
}

// The partial sums are one after another in the scratch.
class GradWeights : public SlicedConvolution {
 public:
  GradWeights(const ConvShape& s, const KernelSite& site)
      : SlicedConvolution(needs_borders(s) ? with_borders(s) : s, ConvPass::grad_weights,
                          site.replicas),
        stride_(round_up(full_.packing().packed_count(), 16)),
        x_(site, 0),
        d_y_(site, 1),
        d_w_(site.output<float>(0)) {
    if (needs_borders(s)) borders_ = s;
  }

  size_t worker_scratch_bytes() const override {
    return frames_at() + (borders_ ? float_bytes(slices_.size * x_stride_) : 0);
  }

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    if (phase == 0) return static_cast<int>(slices_.tasks());
    if (phase == 1) return slices_.tasks() > 1 ? chunks().tasks() : 0;
    return full_.packing().tasks();
  }
  size_t scratch_bytes() const override { return float_bytes(stride_ * slices_.tasks()); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* partial = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) {
      const int64_t first = slices_.first(task);
      const std::byte* x = borders_ ? bordered(task, args) : x_.at(args, first * x_stride_);
      run_slice(slices_.count(task), x, partial + task * stride_, d_y_.at(args, first * y_stride_),
                args);
    } else if (phase == 1) {
      sum_slices(slices_, partial + chunks().begin(task), stride_, chunks().length(task));
    } else {
      unpack_weights(full_.packing(), task, partial, d_w_(args));
    }
  }

 private:
  // Small, so that a chunk of every slice's partial sum stays in the cache.
  Chunks chunks() const { return {full_.packing().packed_count(), 2048}; }

  size_t frames_at() const {
    return static_cast<size_t>(
        round_up(static_cast<int64_t>(SlicedConvolution::worker_scratch_bytes()), 64));
  }

  // Copies the images of a slice into frames of zeros, in the thread's scratch.
  const std::byte* bordered(int task, const KernelArgs& args) const {
    const ConvShape& s = *borders_;
    const int64_t wide = s.iw + s.pad_left + s.pad_right, high = s.ih + s.pad_top + s.pad_bottom;
    const int64_t block = s.x == Layout::blocked ? channel_block() : 1;
    const auto pixel = static_cast<size_t>(block) * bytes_per_element(stored_);
    const auto bytes = [&](int64_t pixels) { return static_cast<size_t>(pixels) * pixel; };
    const int64_t planes = x_stride_ / (wide * high * block) * slices_.count(task);
    const int64_t image = x_stride_ / (wide * high) * s.iw * s.ih;
    std::byte* frames = args.worker_scratch + frames_at();
    const std::byte* from = x_.at(args, slices_.first(task) * image);
    std::fill_n(frames, bytes(planes * wide * high), std::byte{0});
    for (int64_t plane = 0; plane < planes; ++plane) {
      for (int64_t y = 0; y < s.ih; ++y) {
        std::copy_n(from + bytes((plane * s.ih + y) * s.iw), bytes(s.iw),
                    frames + bytes((plane * high + y + s.pad_top) * wide + s.pad_left));
      }
    }
    return frames;
  }

  int64_t stride_;
  StoredIn x_, d_y_;
  Out<float> d_w_;
  std::optional<ConvShape> borders_;  // the original images, if they need borders
};

}  // namespace

bool multiplies_bf16(const ConvShape& s, ConvPass pass, Isa level) {
  if (s.stored != DType::bf16 || !has_bf16_products(level)) return false;
  if (s.groups == 1) return true;
  if (s.x != Layout::blocked) return false;  // oneDNN has only its gemm for these
  // oneDNN's weight gradient of other depthwise windows is a reference loop.
  const bool depthwise = s.groups == s.ic && s.groups == s.oc;
  return !depthwise || pass != ConvPass::grad_weights || (s.kh == 3 && s.kw == 3);
}

std::unique_ptr<Kernel> direct_apply(const ConvShape& s, ConvPass pass, const KernelSite& site,
                                     const onednn::ConvTail& tail) {
  return std::make_unique<Apply>(s, pass, site, tail);
}
std::unique_ptr<Kernel> direct_grad_weights(const ConvShape& s, const KernelSite& site) {
  return std::make_unique<GradWeights>(s, site);
}

}  // namespace convoy::ops
