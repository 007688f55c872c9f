// Elementwise activations. The gradients of ReLU and sigmoid need y alone, so x can be given up
// (and they may work in place); that of swish needs x.

#include "ops/activation.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/elementwise.h"
#include "ops/checks.h"
#include "ops/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/layout_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_f32(n, in);
  return {{in[0].shape}};
}

using Unary = void (*)(const float*, float*, int64_t);

template <Unary f>
std::unique_ptr<Kernel> unary(const Node&, const KernelSite& site) {
  return by_chunks(site, [](const KernelArgs& args, int64_t at, int64_t count) {
    f(args.input(0) + at, args.output(0) + at, count);
  });
}

// Of gradients: the inputs are the saved value and d_y.
const OpDef relu_grad_def{.name = "relu_grad",
                          .infer = infer,
                          .kernel = binary_kernel<kernels::relu_grad>,
                          .inplace_input = 1,
                          .layouts = all_alike};
const OpDef swish_grad_def{.name = "swish_grad",
                           .infer = infer,
                           .kernel = binary_kernel<kernels::swish_grad>,
                           .inplace_input = 1,
                           .layouts = all_alike};
const OpDef sigmoid_grad_def{.name = "sigmoid_grad",
                             .infer = infer,
                             .kernel = binary_kernel<kernels::sigmoid_grad>,
                             .inplace_input = 1,
                             .layouts = all_alike_unpadded};

Values relu_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(relu_grad_def, {n.out[0], d[0]})};
}
Values swish_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(swish_grad_def, {n.in[0], d[0]})};
}
Values sigmoid_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(sigmoid_grad_def, {n.out[0], d[0]})};
}

// The slope below zero is the node's attribute.
std::unique_ptr<Kernel> leaky(const Node& n, const KernelSite& site) {
  return by_chunks(site,
                   [slope = n.attrs<float>()](const KernelArgs& args, int64_t at, int64_t count) {
                     kernels::leaky_relu(args.input(0) + at, slope, args.output(0) + at, count);
                   });
}
std::unique_ptr<Kernel> leaky_grad(const Node& n, const KernelSite& site) {
  return by_chunks(site,
                   [slope = n.attrs<float>()](const KernelArgs& args, int64_t at, int64_t count) {
                     kernels::leaky_relu_grad(args.input(0) + at, args.input(1) + at, slope,
                                              args.output(0) + at, count);
                   });
}
std::string describe_leaky(const Node& n) { return fmt::format("slope {}", n.attrs<float>()); }

const OpDef leaky_relu_grad_def{.name = "leaky_relu_grad",
                                .infer = infer,
                                .kernel = leaky_grad,
                                .inplace_input = 1,
                                .layouts = all_alike,
                                .describe = describe_leaky};
Values leaky_relu_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(leaky_relu_grad_def, {n.out[0], d[0]}, n.attrs<float>())};
}
const OpDef leaky_relu_def{.name = "leaky_relu",
                           .infer = infer,
                           .grad = leaky_relu_grad,
                           .kernel = leaky,
                           .inplace_input = 0,
                           .layouts = all_alike,
                           .describe = describe_leaky};
// sigmoid(0) is not 0: padded channels would not stay zero.
const OpDef sigmoid_def{.name = "sigmoid",
                        .infer = infer,
                        .grad = sigmoid_grad,
                        .kernel = unary<kernels::sigmoid>,
                        .inplace_input = 0,
                        .layouts = all_alike_unpadded};

}  // namespace

const OpDef relu_def{.name = "relu",
                     .infer = infer,
                     .grad = relu_grad,
                     .kernel = unary<kernels::relu>,
                     .inplace_input = 0,
                     .layouts = all_alike};

const OpDef swish_def{.name = "swish",
                      .infer = infer,
                      .grad = swish_grad,
                      .kernel = unary<kernels::swish>,
                      .inplace_input = 0,
                      .layouts = all_alike};

Value relu(Builder& b, Value x) { return b.emit(relu_def, {x}); }
Value leaky_relu(Builder& b, Value x, float slope) {
  expect(slope > 0, "the result of a leaky ReLU shows the sign");
  return b.emit(leaky_relu_def, {x}, slope);
}
Value swish(Builder& b, Value x) { return b.emit(swish_def, {x}); }
Value sigmoid(Builder& b, Value x) { return b.emit(sigmoid_def, {x}); }

}  // namespace convoy::ops

namespace convoy {

OpFamily activation_ops() {
  return {
      .ops = {&ops::relu_def, &ops::relu_grad_def, &ops::leaky_relu_def, &ops::leaky_relu_grad_def,
              &ops::swish_def, &ops::swish_grad_def, &ops::sigmoid_def, &ops::sigmoid_grad_def},
      .fusions = {}};
}

}  // namespace convoy
