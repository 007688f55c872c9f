// Sum and product. Squeeze-and-excitation needs the product with a gate [n, c, 1, 1].

#include "ops/elementwise/arithmetic.h"

#include "base/error.h"
#include "kernels/elementwise.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

Types infer_same(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  if (in[0].shape != in[1].shape) {
    raise(Fault::usage, "{} of {} and {}: the shapes differ", n.op->name, to_string(in[0].shape),
          to_string(in[1].shape));
  }
  return {{in[0].shape, in[0].dtype}};
}

std::unique_ptr<Kernel> add_kernel(const Node&, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return binary_kernel<T>(site, kernels::add<T>); });
}
std::unique_ptr<Kernel> multiply_kernel(const Node&, const KernelSite& site) {
  return by_storage(site.in[0],
                    [&]<class T>() { return binary_kernel<T>(site, kernels::multiply<T>); });
}

Values add_grad(Builder&, const Node&, std::span<const Value> d_out) {
  return {d_out[0], d_out[0]};
}

Values multiply_grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {multiply(b, d_out[0], n.in[1]), multiply(b, d_out[0], n.in[0])};
}

const OpDef multiply_def{.name = "multiply",
                         .infer = infer_same,
                         .grad = multiply_grad,
                         .kernel = multiply_kernel,
                         .inplace_input = 0,
                         .forms = moved<all_alike>,
                         .narrowing = Narrowing::follows};

// Planes of an image and rows of a gate: [n * blocks] planes of [pixels][block], or plain
// [n * c] planes of [1][pixels] with one gate each.
struct GatePlanes {
  int64_t planes, pixels, width;
};
GatePlanes gate_planes(const TensorType& image) {
  const Shape& s = image.shape;
  if (image.layout == Layout::plain) return {s[0] * s[1], s[2] * s[3], 1};
  return {s[0] * divide_up(s[1], channel_block()), s[2] * s[3], channel_block()};
}

Types infer_gated(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const Shape &x = in[0].shape, &g = in[1].shape;
  if (x.rank() != 4 || g != Shape{x[0], x[1], 1, 1}) {
    raise(Fault::usage, "a gate {} does not fit an image {}", to_string(g), to_string(x));
  }
  return {{x, in[0].dtype}};
}

template <class T>
std::unique_ptr<Kernel> gated_in(const KernelSite& site) {
  const GatePlanes g = gate_planes(site.in[0]);
  const auto x = site.input<T>(0), gate = site.input<T>(1);
  const auto y = site.output<T>(0);
  return one_phase(g.planes, [=](int task, const KernelArgs& args) {
    const int64_t at = task * g.pixels * g.width;
    kernels::multiply_rows(x(args) + at, gate(args) + task * g.width, y(args) + at, g.pixels,
                           g.width);
  });
}

std::unique_ptr<Kernel> gated(const Node&, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return gated_in<T>(site); });
}

// d_gate[n, c] = sum over pixels of x * d_y.
Types infer_gate_grad(const Node&, std::span<const TensorType> in) {
  return {{{in[0].shape[0], in[0].shape[1], 1, 1}, in[0].dtype}};
}

template <class T>
std::unique_ptr<Kernel> gate_grad_in(const KernelSite& site) {
  const GatePlanes g = gate_planes(site.in[0]);
  const auto x = site.input<T>(0), d_y = site.input<T>(1);
  const auto d_gate = site.output<T>(0);
  return one_phase(g.planes, [=](int task, const KernelArgs& args) {
    const int64_t at = task * g.pixels * g.width;
    kernels::dot_rows(x(args) + at, d_y(args) + at, d_gate(args) + task * g.width, g.pixels,
                      g.width);
  });
}

std::unique_ptr<Kernel> gate_grad(const Node&, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return gate_grad_in<T>(site); });
}

const OpDef gate_grad_def{.name = "gate_grad",
                          .infer = infer_gate_grad,
                          .kernel = gate_grad,
                          .forms = moved<all_alike>,
                          .narrowing = Narrowing::follows};

Values gated_grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {multiply(b, d_out[0], n.in[1]), b.emit(gate_grad_def, {n.in[0], d_out[0]})};
}

const OpDef gate_def{.name = "gate",
                     .infer = infer_gated,
                     .grad = gated_grad,
                     .kernel = gated,
                     .inplace_input = 0,
                     .forms = moved<all_alike>,
                     .narrowing = Narrowing::follows};

}  // namespace

const OpDef add_def{.name = "add",
                    .infer = infer_same,
                    .grad = add_grad,
                    .kernel = add_kernel,
                    .inplace_input = 0,
                    .forms = moved<all_alike>,
                    .narrowing = Narrowing::follows};

Value add(Builder& b, Value x, Value y) { return b.emit(add_def, {x, y}); }

Value multiply(Builder& b, Value x, Value gate) {
  const bool same = b.shape(x) == b.shape(gate);
  return b.emit(same ? multiply_def : gate_def, {x, gate});
}

OpFamily arithmetic_ops() { return {.ops = {&add_def, &multiply_def, &gate_def, &gate_grad_def}}; }

}  // namespace convoy::ops
