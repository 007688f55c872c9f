// Elementwise activations. The gradients of ReLU and sigmoid need only y, so x can be freed (and
// they may work in place); that of swish needs x.

#include "ops/elementwise/activation.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/elementwise.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  return {{in[0].shape, in[0].dtype}};
}

// `kernel` columns: f of the storage type of the images.
template <class F>
std::unique_ptr<Kernel> unary(const KernelSite& site, const F& f) {
  return by_storage(site.in[0], [&]<class T>() {
    return unary_kernel<T>(site, [f](const T* x, T* y, int64_t count) { f(x, y, count); });
  });
}
template <class F>
std::unique_ptr<Kernel> binary(const KernelSite& site, const F& f) {
  return by_storage(site.in[0], [&]<class T>() {
    return binary_kernel<T>(
        site, [f](const T* a, const T* b, T* y, int64_t count) { f(a, b, y, count); });
  });
}

std::unique_ptr<Kernel> relu_kernel(const Node&, const KernelSite& site) {
  return unary(site, [](auto* x, auto* y, int64_t count) { kernels::relu(x, y, count); });
}
std::unique_ptr<Kernel> relu_grad_kernel(const Node&, const KernelSite& site) {
  return binary(site, [](auto* y, auto* d_y, auto* d_x, int64_t count) {
    kernels::relu_grad(y, d_y, d_x, count);
  });
}
std::unique_ptr<Kernel> swish_kernel(const Node&, const KernelSite& site) {
  return unary(site, [](auto* x, auto* y, int64_t count) { kernels::swish(x, y, count); });
}
std::unique_ptr<Kernel> swish_grad_kernel(const Node&, const KernelSite& site) {
  return binary(site, [](auto* x, auto* d_y, auto* d_x, int64_t count) {
    kernels::swish_grad(x, d_y, d_x, count);
  });
}
std::unique_ptr<Kernel> sigmoid_kernel(const Node&, const KernelSite& site) {
  return unary(site, [](auto* x, auto* y, int64_t count) { kernels::sigmoid(x, y, count); });
}
std::unique_ptr<Kernel> sigmoid_grad_kernel(const Node&, const KernelSite& site) {
  return binary(site, [](auto* y, auto* d_y, auto* d_x, int64_t count) {
    kernels::sigmoid_grad(y, d_y, d_x, count);
  });
}

// Gradients: the inputs are the saved value and d_y.
const OpDef relu_grad_def{.name = "relu_grad",
                          .infer = infer,
                          .kernel = relu_grad_kernel,
                          .inplace_input = 1,
                          .forms = stored_as<all_alike>,
                          .narrowing = Narrowing::follows};
const OpDef swish_grad_def{.name = "swish_grad",
                           .infer = infer,
                           .kernel = swish_grad_kernel,
                           .inplace_input = 1,
                           .forms = stored_as<all_alike>,
                           .narrowing = Narrowing::follows};
const OpDef sigmoid_grad_def{.name = "sigmoid_grad",
                             .infer = infer,
                             .kernel = sigmoid_grad_kernel,
                             .inplace_input = 1,
                             .forms = stored_as<all_alike_unpadded>,
                             .narrowing = Narrowing::follows};

Values relu_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(relu_grad_def, {n.out[0], d[0]})};
}
Values swish_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(swish_grad_def, {n.in[0], d[0]})};
}
Values sigmoid_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(sigmoid_grad_def, {n.out[0], d[0]})};
}

// The node's attribute is the slope for negative x.
std::unique_ptr<Kernel> leaky(const Node& n, const KernelSite& site) {
  return unary(site, [slope = n.attrs<float>()](auto* x, auto* y, int64_t count) {
    kernels::leaky_relu(x, slope, y, count);
  });
}
std::unique_ptr<Kernel> leaky_grad(const Node& n, const KernelSite& site) {
  return binary(site, [slope = n.attrs<float>()](auto* y, auto* d_y, auto* d_x, int64_t count) {
    kernels::leaky_relu_grad(y, d_y, slope, d_x, count);
  });
}
std::string describe_leaky(const Node& n) { return fmt::format("slope {}", n.attrs<float>()); }

const OpDef leaky_relu_grad_def{.name = "leaky_relu_grad",
                                .infer = infer,
                                .kernel = leaky_grad,
                                .inplace_input = 1,
                                .forms = stored_as<all_alike>,
                                .narrowing = Narrowing::follows,
                                .describe = describe_leaky};
Values leaky_relu_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(leaky_relu_grad_def, {n.out[0], d[0]}, n.attrs<float>())};
}
const OpDef leaky_relu_def{.name = "leaky_relu",
                           .infer = infer,
                           .grad = leaky_relu_grad,
                           .kernel = leaky,
                           .inplace_input = 0,
                           .forms = stored_as<all_alike>,
                           .narrowing = Narrowing::follows,
                           .describe = describe_leaky};
// sigmoid(0) is not 0: padded channels would not stay zero, so they are not allowed.
const OpDef sigmoid_def{.name = "sigmoid",
                        .infer = infer,
                        .grad = sigmoid_grad,
                        .kernel = sigmoid_kernel,
                        .inplace_input = 0,
                        .forms = stored_as<all_alike_unpadded>,
                        .narrowing = Narrowing::follows};

}  // namespace

const OpDef relu_def{.name = "relu",
                     .infer = infer,
                     .grad = relu_grad,
                     .kernel = relu_kernel,
                     .inplace_input = 0,
                     .forms = stored_as<all_alike>,
                     .narrowing = Narrowing::follows};

const OpDef swish_def{.name = "swish",
                      .infer = infer,
                      .grad = swish_grad,
                      .kernel = swish_kernel,
                      .inplace_input = 0,
                      .forms = stored_as<all_alike>,
                      .narrowing = Narrowing::follows};

Value relu(Builder& b, Value x) { return b.emit(relu_def, {x}); }
Value leaky_relu(Builder& b, Value x, float slope) {
  expect(slope > 0, "the result of a leaky ReLU shows the sign");
  return b.emit(leaky_relu_def, {x}, slope);
}
Value swish(Builder& b, Value x) { return b.emit(swish_def, {x}); }
Value sigmoid(Builder& b, Value x) { return b.emit(sigmoid_def, {x}); }

OpFamily activation_ops() {
  return {.ops = {&relu_def, &relu_grad_def, &leaky_relu_def, &leaky_relu_grad_def, &swish_def,
                  &swish_grad_def, &sigmoid_def, &sigmoid_grad_def}};
}

}  // namespace convoy::ops
