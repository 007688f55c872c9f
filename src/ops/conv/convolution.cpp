// Convolution: Winograd if it is estimated to be faster (conv_algorithm.h), our own kernels for
// small groups, else oneDNN. The state stores plain fp32 weights; every pass first packs them into
// its own order and type.

#include "ops/conv/convolution.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/direct_conv.h"
#include "ops/conv/few_channels_conv.h"
#include "ops/conv/grad_weights_by_outputs.h"
#include "ops/conv/grouped_conv.h"
#include "ops/conv/pointwise_grad_weights.h"
#include "ops/conv/winograd_conv.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/slices.h"
#include "tensor/kernel.h"
#include "tensor/onednn.h"

namespace convoy::ops {
namespace {

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
  return {{out_shape(a), in[0].dtype}};
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

ConvShape conv_shape(const Attrs& a, DType stored = DType::f32) {
  const Shape y = out_shape(a);
  ConvShape shape{.n = a.x[0],
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
                  .groups = a.groups,
                  .stored = stored};
  choose_layouts(shape);
  return shape;
}

std::unique_ptr<Kernel> apply_kernel(const Node& n, const KernelSite& site, ConvPass pass) {
  const ConvShape s = conv_shape(n.attrs<Attrs>(), site.in[0].dtype);
  if (const int64_t tile = winograd_tile(choose_algorithm(s, pass, site.choices))) {
    return pass == ConvPass::forward ? winograd_forward(s, tile, site)
                                     : winograd_grad_input(s, tile, site);
  }
  return prefers_grouped(s, pass) ? grouped_apply(s, pass, site) : direct_apply(s, pass, site);
}
std::unique_ptr<Kernel> forward_kernel(const Node& n, const KernelSite& site) {
  return apply_kernel(n, site, ConvPass::forward);
}
std::unique_ptr<Kernel> grad_input_kernel(const Node& n, const KernelSite& site) {
  return apply_kernel(n, site, ConvPass::grad_input);
}
std::unique_ptr<Kernel> grad_weights_kernel(const Node& n, const KernelSite& site) {
  constexpr ConvPass pass = ConvPass::grad_weights;
  const ConvShape s = conv_shape(n.attrs<Attrs>(), site.in[0].dtype);
  if (const int64_t tile = winograd_tile(choose_algorithm(s, pass, site.choices))) {
    return winograd_grad_weights(s, tile, site);
  }
  if (prefers_grouped(s, pass)) return grouped_grad_weights(s, site);
  if (has_few_channels(s)) return few_channels_grad_weights(s, site);
  if (prefers_pointwise_grad_weights(s)) return pointwise_grad_weights(s, site);
  if (prefers_parts_of_outputs(s)) return grad_weights_by_outputs(s, site);
  return direct_grad_weights(s, site);
}

// Images in fp32 or bf16, and the result in the same type; weights and their gradient are fp32.
FormChoice forward_forms(const Node& n, std::span<const TensorType> offered) {
  const ConvShape s = conv_shape(n.attrs<Attrs>());
  return {{{s.x, fp32_or_narrow(offered[0].dtype)}, {}}, {s.y}};
}
FormChoice grad_input_forms(const Node& n, std::span<const TensorType> offered) {
  const ConvShape s = conv_shape(n.attrs<Attrs>());
  return {{{s.y, fp32_or_narrow(offered[0].dtype)}, {}}, {s.x}};
}
// Both images in one type: of two different ones in fp32, which loses nothing.
FormChoice grad_weights_forms(const Node& n, std::span<const TensorType> offered) {
  const ConvShape s = conv_shape(n.attrs<Attrs>());
  const bool alike = offered[0].dtype == offered[1].dtype;
  const DType type = alike ? fp32_or_narrow(offered[0].dtype) : DType::f32;
  return {{{s.x, type}, {s.y, type}}, {Layout::plain}};
}

Types infer_grad_input(const Node& n, std::span<const TensorType> in) {
  return {{n.attrs<Attrs>().x, in[0].dtype}};
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
                  conv_shape(a)};
}

std::optional<ConvCall> conv_call(const Graph& graph, int node) {
  const Node& n = graph.node(node);
  auto call = conv_call(n);
  if (call) call->shape.stored = graph.type(n.in[0]).dtype;
  return call;
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
