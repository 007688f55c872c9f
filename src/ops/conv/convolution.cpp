// Convolution: Winograd if it is estimated to be faster (conv_algorithm.h), our own kernels for
// small groups, else oneDNN. The state stores plain fp32 weights; every pass first packs them into
// its own order and type.

#include "ops/conv/convolution.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_node.h"
#include "ops/conv/direct_conv.h"
#include "ops/conv/few_channels_conv.h"
#include "ops/conv/folded/folded_conv.h"
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

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  return {convolved(n.attrs<ConvAttrs>(), in[0], in[1])};
}

std::string describe_node(const Node& n) { return describe(n.attrs<ConvAttrs>()); }
double flops_of(const Node& n, const KernelSite&) { return flops(n.attrs<ConvAttrs>()); }

std::unique_ptr<Kernel> forward_kernel(const Node& n, const KernelSite& site) {
  return convolution_forward(conv_shape(n.attrs<ConvAttrs>(), site.in[0].dtype), site);
}
std::unique_ptr<Kernel> grad_input_kernel(const Node& n, const KernelSite& site) {
  constexpr ConvPass pass = ConvPass::grad_input;
  const ConvShape s = conv_shape(n.attrs<ConvAttrs>(), site.in[0].dtype);
  if (const int64_t tile = winograd_tile(choose_algorithm(s, pass, site.choices))) {
    return winograd_grad_input(s, tile, site);
  }
  return prefers_grouped(s, pass) ? grouped_apply(s, pass, site) : direct_apply(s, pass, site);
}
std::unique_ptr<Kernel> grad_weights_kernel(const Node& n, const KernelSite& site) {
  constexpr ConvPass pass = ConvPass::grad_weights;
  const ConvShape s = conv_shape(n.attrs<ConvAttrs>(), site.in[0].dtype);
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
  const ConvShape s = conv_shape(n.attrs<ConvAttrs>());
  return {{{s.x, fp32_or_narrow(offered[0].dtype)}, {}}, {s.y}};
}
FormChoice grad_input_forms(const Node& n, std::span<const TensorType> offered) {
  const ConvShape s = conv_shape(n.attrs<ConvAttrs>());
  return {{{s.y, fp32_or_narrow(offered[0].dtype)}, {}}, {s.x}};
}
// Both images in one type: of two different ones in fp32, which loses nothing.
FormChoice grad_weights_forms(const Node& n, std::span<const TensorType> offered) {
  const ConvShape s = conv_shape(n.attrs<ConvAttrs>());
  const bool alike = offered[0].dtype == offered[1].dtype;
  const DType type = alike ? fp32_or_narrow(offered[0].dtype) : DType::f32;
  return {{{s.x, type}, {s.y, type}}, {Layout::plain}};
}

Types infer_grad_input(const Node& n, std::span<const TensorType> in) {
  return {{n.attrs<ConvAttrs>().x, in[0].dtype}};
}
Types infer_grad_weights(const Node& n, std::span<const TensorType>) {
  return {{n.attrs<ConvAttrs>().w}};
}

const OpDef grad_input_def{.name = "convolution_grad_input",
                           .infer = infer_grad_input,
                           .kernel = grad_input_kernel,
                           .forms = grad_input_forms,
                           .narrowing = Narrowing::always,
                           .flops = flops_of,
                           .describe = describe_node};

const OpDef grad_weights_def{.name = "convolution_grad_weights",
                             .infer = infer_grad_weights,
                             .kernel = grad_weights_kernel,
                             .forms = grad_weights_forms,
                             .narrowing = Narrowing::always,
                             .flops = flops_of,
                             .describe = describe_node};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const ConvAttrs& a = n.attrs<ConvAttrs>();
  Values d{{}, {}};
  if (b.wants_grad(n.in[1])) d[1] = b.emit(grad_weights_def, {n.in[0], d_out[0]}, a);
  if (b.wants_grad(n.in[0])) d[0] = b.emit(grad_input_def, {d_out[0], n.in[1]}, a);
  return d;
}

}  // namespace

const OpDef convolution_def{.name = "convolution",
                            .infer = infer,
                            .grad = grad,
                            .kernel = forward_kernel,
                            .forms = forward_forms,
                            .narrowing = Narrowing::always,
                            .flops = flops_of,
                            .describe = describe_node};

std::optional<ConvCall> conv_call(const Node& n) {
  if (const ConvAttrs* folded = folded_conv(n)) return {{ConvPass::forward, conv_shape(*folded)}};
  const bool forward = n.op == &convolution_def, back = n.op == &grad_input_def;
  if (!forward && !back && n.op != &grad_weights_def) return {};
  return ConvCall{forward ? ConvPass::forward
                  : back  ? ConvPass::grad_input
                          : ConvPass::grad_weights,
                  conv_shape(n.attrs<ConvAttrs>())};
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
  return b.emit(convolution_def, {x, w},
                ConvAttrs{options.stride, padding, options.groups, xs, ws});
}

OpFamily convolution_ops() {
  return {.ops = {&convolution_def, &grad_input_def, &grad_weights_def}};
}

}  // namespace convoy::ops
