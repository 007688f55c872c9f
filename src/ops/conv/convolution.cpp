// Convolution: Winograd if it is estimated to be faster (conv_algorithm.h), else oneDNN on slices
// of the batch. The state stores plain weights; every pass first packs them into its own blocked
// order. In the weight gradient each slice has its own partial sum; these are added in a balanced
// tree over the slices of a replica, then over the replicas.

#include "ops/conv/convolution.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "kernels/elementwise.h"
#include "ops/checks.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/few_channels_conv.h"
#include "ops/conv/grouped_conv.h"
#include "ops/conv/winograd_conv.h"
#include "ops/family.h"
#include "ops/slices.h"
#include "tensor/kernel.h"
#include "tensor/onednn.h"

namespace convoy::ops {
namespace {

using onednn::Convolution;
using onednn::ConvPass;
using onednn::ConvShape;

struct Attrs {
  int64_t stride;
  Padding padding;  // explicit
  int64_t groups;
  Shape x, w;  // of the forward node, for the gradients
};

int64_t out_size(int64_t in, int64_t window, int64_t before, int64_t after, int64_t stride) {
  return (in + before + after - window) / stride + 1;
}

Shape out_shape(const Attrs& a) {
  return {a.x[0], a.w[0], out_size(a.x[2], a.w[2], a.padding.top, a.padding.bottom, a.stride),
          out_size(a.x[3], a.w[3], a.padding.left, a.padding.right, a.stride)};
}

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const Attrs& a = n.attrs<Attrs>();
  const Shape &x = in[0].shape, &w = in[1].shape;
  if (x.rank() != 4 || w.rank() != 4 || x[1] != w[1] * a.groups || w[0] % a.groups != 0) {
    raise(Fault::usage, "a convolution of {} with weights {} in {} groups makes no sense",
          to_string(x), to_string(w), a.groups);
  }
  const Padding& p = a.padding;
  // The output size would not show it: integer division rounds towards zero, to one pixel.
  if (x[2] + p.top + p.bottom < w[2] || x[3] + p.left + p.right < w[3]) {
    raise(Fault::usage, "a {}x{} image is too small for a {}x{} window; try: a larger --image-size",
          x[2], x[3], w[2], w[3]);
  }
  return {{out_shape(a)}};
}

std::string describe(const Node& n) {
  const Attrs& a = n.attrs<Attrs>();
  return fmt::format("{}x{} stride {} pad {},{},{},{}{}", a.w[2], a.w[3], a.stride, a.padding.top,
                     a.padding.left, a.padding.bottom, a.padding.right,
                     a.groups > 1 ? fmt::format(" groups {}", a.groups) : "");
}

double flops(const Node& n, const KernelSite&) {
  const Attrs& a = n.attrs<Attrs>();
  return 2.0 * static_cast<double>(out_shape(a).count()) *
         static_cast<double>(a.w[1] * a.w[2] * a.w[3]);
}

// oneDNN's fast kernels need blocked channels. Exceptions: an image of few channels is plain, and
// groups that are not whole blocks are plain on both sides; our own kernels take small groups
// blocked.
void choose_layouts(ConvShape& s) {
  const int64_t block = channel_block();
  const bool depthwise = s.ic == s.groups && s.oc == s.groups;
  const bool whole_blocks = depthwise
                                ? s.groups % block == 0
                                : s.ic / s.groups % block == 0 && s.oc / s.groups % block == 0;
  s.x = s.y = Layout::blocked;
  if (s.groups == 1 && s.ic <= 3) s.x = Layout::plain;
  if (s.groups > 1 && !whole_blocks && !fits_grouped(s)) s.x = s.y = Layout::plain;
}

ConvShape conv_shape(const Attrs& a, int64_t images) {
  const Shape y = out_shape(a);
  ConvShape shape{.n = images,
                  .ic = a.x[1],
                  .ih = a.x[2],
                  .iw = a.x[3],
                  .oc = y[1],
                  .oh = y[2],
                  .ow = y[3],
                  .kh = a.w[2],
                  .kw = a.w[3],
                  .stride_h = a.stride,
                  .stride_w = a.stride,
                  .pad_top = a.padding.top,
                  .pad_left = a.padding.left,
                  .pad_bottom = a.padding.bottom,
                  .pad_right = a.padding.right,
                  .groups = a.groups};
  choose_layouts(shape);
  return shape;
}

// Base of the three passes: the primitive of a full slice, and one for a shorter last slice.
class SlicedConvolution : public Kernel {
 public:
  SlicedConvolution(const Attrs& a, ConvPass pass, int64_t replicas)
      : slices_(
            Slices::cut(a.x[0], replicas, pass == ConvPass::grad_weights ? least_images(a) : 1)),
        full_(conv_shape(a, slices_.size), pass) {
    if (slices_.tail()) tail_.emplace(conv_shape(a, slices_.tail()), pass, &full_);
    const ConvShape s = conv_shape(a, 1);
    x_stride_ = stored_count({{1, s.ic, s.ih, s.iw}, DType::f32, s.x});
    y_stride_ = stored_count({{1, s.oc, s.oh, s.ow}, DType::f32, s.y});
  }

  size_t worker_scratch_bytes() const override {
    return std::max(full_.scratchpad_bytes(), tail_ ? tail_->scratchpad_bytes() : 0);
  }
  std::string implementation() const override { return full_.implementation(); }
  void prepare(int workers) const override {
    full_.prepare(workers);
    if (tail_) tail_->prepare(workers);
  }

 protected:
  // Adding a partial sum of large weights costs about as much as 40 pixels of work, so a slice
  // needs a few times as many.
  static int64_t least_images(const Attrs& a) {
    const Shape y = out_shape(a);
    if (a.w.count() <= 64 * 1024) return 1;
    return y[2] * y[3] <= 64 ? 4 : 2;
  }

  void run_slice(int task, float* x, float* w, float* y, const KernelArgs& args) const {
    const int64_t first = slices_.first(task);
    const Convolution& conv = slices_.count(task) == slices_.size ? full_ : *tail_;
    conv.run(args.worker, x + first * x_stride_, w, y + first * y_stride_, args.worker_scratch);
  }

  Slices slices_;
  Convolution full_;
  std::optional<Convolution> tail_;
  int64_t x_stride_, y_stride_;  // floats of one image
};

// Forward and input gradient: pack the weights, then run the slices.
class ConvApply : public SlicedConvolution {
 public:
  ConvApply(const Attrs& a, ConvPass pass, const KernelSite& site)
      : SlicedConvolution(a, pass, site.replicas),
        forward_(pass == ConvPass::forward),
        in_(site.input<float>(0)),
        w_(site.input<float>(1)),
        out_(site.output<float>(0)) {}

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    if (phase == 0) return full_.packing().has_padding() ? zeroes().tasks() : 0;
    return phase == 1 ? full_.packing().tasks() : static_cast<int>(slices_.tasks());
  }
  int packing_phases() const override { return 2; }
  size_t packed_bytes() const override { return float_bytes(full_.packing().packed_floats()); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* packed = reinterpret_cast<float*>(args.packed);
    if (phase == 0) {
      kernels::fill(0, packed + zeroes().begin(task), zeroes().length(task));
    } else if (phase == 1) {
      full_.packing().pack(task, w_(args), packed);
    } else {
      auto* in = const_cast<float*>(in_(args));
      float* out = out_(args);
      run_slice(task, forward_ ? in : out, packed, forward_ ? out : in, args);
    }
  }

 private:
  Chunks zeroes() const { return {full_.packing().packed_floats()}; }

  bool forward_;
  In<float> in_, w_;
  Out<float> out_;
};

// At some ISA levels oneDNN has only reference code, a thousand times slower, for weight gradients
// of images smaller than the window. Then images are copied into a frame of zeros.
bool needs_borders(const Attrs& a) { return a.x[2] < a.w[2] || a.x[3] < a.w[3]; }

// The same convolution with the padding made part of the images.
Attrs with_borders(Attrs a) {
  const Padding& p = a.padding;
  a.x = {a.x[0], a.x[1], a.x[2] + p.top + p.bottom, a.x[3] + p.left + p.right};
  a.padding = {0, 0, 0, 0};
  return a;
}

// Inputs x, d_y. The partial sums are one after another in the scratch.
class ConvGradWeights : public SlicedConvolution {
 public:
  ConvGradWeights(const Attrs& a, const KernelSite& site)
      : SlicedConvolution(needs_borders(a) ? with_borders(a) : a, ConvPass::grad_weights,
                          site.replicas),
        stride_(round_up(full_.packing().packed_floats(), 16)),
        x_(site.input<float>(0)),
        d_y_(site.input<float>(1)),
        d_w_(site.output<float>(0)) {
    if (needs_borders(a)) borders_ = a;
  }

  size_t worker_scratch_bytes() const override {
    const size_t images = borders_ ? static_cast<size_t>(slices_.size * x_stride_) : 0;
    return library_bytes() + images * sizeof(float);
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
      const float* x = borders_ ? bordered(task, args) : x_(args);
      run_slice(task, const_cast<float*>(x), partial + task * stride_,
                const_cast<float*>(d_y_(args)), args);
    } else if (phase == 1) {
      sum_slices(slices_, partial + chunks().begin(task), stride_, chunks().length(task));
    } else {
      full_.packing().unpack(task, partial, d_w_(args));
    }
  }

 private:
  // Small, so that a chunk of every slice's partial sum stays in the cache.
  Chunks chunks() const { return {full_.packing().packed_floats(), 2048}; }

  size_t library_bytes() const {
    return round_up(static_cast<int64_t>(SlicedConvolution::worker_scratch_bytes()), 64);
  }

  // Copies the images of a slice into frames of zeros, in the thread's scratch; returns the address
  // at which the batch's first image would be.
  const float* bordered(int task, const KernelArgs& args) const {
    const ConvShape s = conv_shape(*borders_, 1);
    const int64_t wide = s.iw + s.pad_left + s.pad_right, high = s.ih + s.pad_top + s.pad_bottom;
    const int64_t block = s.x == Layout::blocked ? channel_block() : 1;
    const int64_t planes = x_stride_ / (wide * high * block) * slices_.count(task);
    auto* to = reinterpret_cast<float*>(args.worker_scratch + library_bytes());
    const float* from = x_(args) + slices_.first(task) * (x_stride_ / (wide * high) * s.iw * s.ih);
    std::fill_n(to, planes * wide * high * block, 0.0f);
    for (int64_t plane = 0; plane < planes; ++plane) {
      for (int64_t y = 0; y < s.ih; ++y) {
        std::copy_n(from + (plane * s.ih + y) * s.iw * block, s.iw * block,
                    to + ((plane * high + y + s.pad_top) * wide + s.pad_left) * block);
      }
    }
    return to - slices_.first(task) * x_stride_;
  }

  int64_t stride_;
  In<float> x_, d_y_;
  Out<float> d_w_;
  std::optional<Attrs> borders_;  // of the original images, if they need borders
};

// The tile of Winograd's algorithm if it was chosen, else 0.
int64_t tile_for(const Attrs& a, ConvPass pass, const KernelSite& site) {
  return winograd_tile(choose_algorithm(conv_shape(a, a.x[0]), pass, site.choices));
}

std::unique_ptr<Kernel> apply_kernel(const Node& n, const KernelSite& site, ConvPass pass) {
  const Attrs& a = n.attrs<Attrs>();
  const ConvShape whole = conv_shape(a, a.x[0]);
  if (const int64_t tile = tile_for(a, pass, site)) {
    return pass == ConvPass::forward ? winograd_forward(whole, tile, site)
                                     : winograd_grad_input(whole, tile, site);
  }
  if (prefers_grouped(whole, pass)) return grouped_apply(whole, pass, site);
  return std::make_unique<ConvApply>(a, pass, site);
}
std::unique_ptr<Kernel> forward_kernel(const Node& n, const KernelSite& site) {
  return apply_kernel(n, site, ConvPass::forward);
}
std::unique_ptr<Kernel> grad_input_kernel(const Node& n, const KernelSite& site) {
  return apply_kernel(n, site, ConvPass::grad_input);
}
std::unique_ptr<Kernel> grad_weights_kernel(const Node& n, const KernelSite& site) {
  const Attrs& a = n.attrs<Attrs>();
  const ConvShape whole = conv_shape(a, a.x[0]);
  if (const int64_t tile = tile_for(a, ConvPass::grad_weights, site)) {
    return winograd_grad_weights(whole, tile, site);
  }
  if (prefers_grouped(whole, ConvPass::grad_weights)) {
    return grouped_grad_weights(whole, site);
  }
  if (has_few_channels(whole)) return few_channels_grad_weights(whole, site);
  return std::make_unique<ConvGradWeights>(a, site);
}

FormChoice forward_forms(const Node& n, std::span<const TensorType>) {
  const ConvShape l = conv_shape(n.attrs<Attrs>(), 1);
  return {{{l.x}, {}}, {l.y}};
}
FormChoice grad_input_forms(const Node& n, std::span<const TensorType>) {
  const ConvShape l = conv_shape(n.attrs<Attrs>(), 1);
  return {{{l.y}, {}}, {l.x}};
}
FormChoice grad_weights_forms(const Node& n, std::span<const TensorType>) {
  const ConvShape l = conv_shape(n.attrs<Attrs>(), 1);
  return {{{l.x}, {l.y}}, {Layout::plain}};
}

Types infer_grad_input(const Node& n, std::span<const TensorType>) {
  return {{n.attrs<Attrs>().x}};
}
Types infer_grad_weights(const Node& n, std::span<const TensorType>) {
  return {{n.attrs<Attrs>().w}};
}

const OpDef grad_input_def{.name = "convolution_grad_input",
                           .infer = infer_grad_input,
                           .kernel = grad_input_kernel,
                           .forms = grad_input_forms,
                           .narrowing = Narrowing::always,
                           .flops = flops,
                           .describe = describe};

const OpDef grad_weights_def{.name = "convolution_grad_weights",
                             .infer = infer_grad_weights,
                             .kernel = grad_weights_kernel,
                             .forms = grad_weights_forms,
                             .narrowing = Narrowing::always,
                             .flops = flops,
                             .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const Attrs& a = n.attrs<Attrs>();
  Values d{{}, {}};
  if (b.wants_grad(n.in[1])) d[1] = b.emit(grad_weights_def, {n.in[0], d_out[0]}, a);
  if (b.wants_grad(n.in[0])) d[0] = b.emit(grad_input_def, {d_out[0], n.in[1]}, a);
  return d;
}

const OpDef convolution_def{.name = "convolution",
                            .infer = infer,
                            .grad = grad,
                            .kernel = forward_kernel,
                            .forms = forward_forms,
                            .narrowing = Narrowing::always,
                            .flops = flops,
                            .describe = describe};

}  // namespace

std::optional<ConvCall> conv_call(const Node& n) {
  const bool forward = n.op == &convolution_def, back = n.op == &grad_input_def;
  if (!forward && !back && n.op != &grad_weights_def) return {};
  const Attrs& a = n.attrs<Attrs>();
  return ConvCall{forward ? ConvPass::forward
                  : back  ? ConvPass::grad_input
                          : ConvPass::grad_weights,
                  conv_shape(a, a.x[0])};
}

Padding resolve_padding(const Padding& p, int64_t ih, int64_t iw, int64_t kh, int64_t kw,
                        int64_t stride) {
  if (p.top != Padding::same) return p;
  const auto total = [&](int64_t in, int64_t k) {
    return std::max<int64_t>((divide_up(in, stride) - 1) * stride + k - in, 0);
  };
  const int64_t h = total(ih, kh), w = total(iw, kw);
  return {h / 2, w / 2, h - h / 2, w - w / 2};
}

Value convolution(Builder& b, Value x, Value w, const ConvOptions& options) {
  const Shape &xs = b.shape(x), &ws = b.shape(w);
  const Padding padding =
      resolve_padding(options.padding, xs[2], xs[3], ws[2], ws[3], options.stride);
  return b.emit(convolution_def, {x, w}, Attrs{options.stride, padding, options.groups, xs, ws});
}

OpFamily convolution_ops() {
  return {.ops = {&convolution_def, &grad_input_def, &grad_weights_def}};
}

}  // namespace convoy::ops
