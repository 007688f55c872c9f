// The fully connected layer. Rows are cut like batches. The weight gradient is cut by output
// features, with one product per replica.

#include "ops/linear.h"

#include "base/error.h"
#include "kernels/dense.h"
#include "kernels/sums.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/slices.h"
#include "tensor/kernel.h"
#include "tensor/onednn.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const Shape &x = in[0].shape, &w = in[1].shape, &bias = in[2].shape;
  if (x.rank() != 2 || w.rank() != 2 || x[1] != w[1] || bias != Shape{w[0]}) {
    raise(Fault::usage, "a dense layer with weights {} does not fit {}", to_string(w),
          to_string(x));
  }
  return {{{x[0], w[0]}}};
}

double flops_of(int64_t rows, const Shape& w) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(w.count());
}

std::unique_ptr<Kernel> forward(const Node&, const KernelSite& site) {
  const int64_t in = site.in[1].shape[1], out = site.in[1].shape[0];
  const Slices rows = Slices::cut(site.in[0].shape[0], site.replicas);
  const auto x = site.input<float>(0), w = site.input<float>(1), bias = site.input<float>(2);
  const auto y = site.output<float>(0);
  return one_phase(rows.tasks(), [=](int task, const KernelArgs& args) {
    // Not oneDNN's gemm: its summation order varies with the number of rows, and the result of an
    // evaluation must not depend on its batch size.
    const int64_t first = rows.first(task);
    kernels::dense(x(args) + first * in, w(args), bias(args), rows.count(task), in, out,
                   y(args) + first * out);
  });
}

double forward_flops(const Node&, const KernelSite& site) {
  return flops_of(site.in[0].shape[0], site.in[1].shape);
}

// in: d_y, w
Types infer_grad_input(const Node&, std::span<const TensorType> in) {
  return {{{in[0].shape[0], in[1].shape[1]}}};
}
std::unique_ptr<Kernel> grad_input(const Node&, const KernelSite& site) {
  const int64_t in = site.in[1].shape[1], out = site.in[1].shape[0];
  const Slices rows = Slices::cut(site.in[0].shape[0], site.replicas);
  const auto d_y = site.input<float>(0), w = site.input<float>(1);
  const auto d_x = site.output<float>(0);
  return one_phase(rows.tasks(), [=](int task, const KernelArgs& args) {
    const int64_t first = rows.first(task);
    onednn::gemm(false, false, rows.count(task), in, out, d_y(args) + first * out, out, w(args), in,
                 false, d_x(args) + first * in, in);
  });
}

// in: d_y, x; out: d_w, d_bias
Types infer_grad_weights(const Node&, std::span<const TensorType> in) {
  const int64_t out = in[0].shape[1];
  return {{{out, in[1].shape[1]}}, {{out}}};
}
std::unique_ptr<Kernel> grad_weights(const Node&, const KernelSite& site) {
  constexpr int64_t features = 16;
  const int64_t out = site.in[0].shape[1], in = site.in[1].shape[1], replicas = site.replicas;
  const int64_t batch = site.in[0].shape[0] / replicas;
  const auto d_out = site.input<float>(0), x = site.input<float>(1);
  const auto d_weights = site.output<float>(0), d_biases = site.output<float>(1);
  auto kernel = std::make_unique<PhasedKernel>();
  // This task's rows of every replica's gradient: [replicas, features, in + 1].
  kernel->worker_scratch(float_bytes(replicas * features * (in + 1)));
  kernel->phase(divide_up(out, features), [=](int task, const KernelArgs& args) {
    const int64_t first = task * features, count = std::min(features, out - first);
    auto* d_w = reinterpret_cast<float*>(args.worker_scratch);
    float* d_bias = d_w + replicas * features * in;
    for (int64_t r = 0; r < replicas; ++r) {
      const float* d_y = d_out(args) + r * batch * out + first;
      onednn::gemm(true, false, count, in, batch, d_y, out, x(args) + r * batch * in, in, false,
                   d_w + r * features * in, in);
      for (int64_t f = 0; f < count; ++f) {
        float sum = 0;
        for (int64_t i = 0; i < batch; ++i) sum += d_y[i * out + f];
        d_bias[r * features + f] = sum;
      }
    }
    kernels::tree_sum(d_w, features * in, replicas, count * in);
    kernels::tree_sum(d_bias, features, replicas, count);
    std::copy_n(d_w, count * in, d_weights(args) + first * in);
    std::copy_n(d_bias, count, d_biases(args) + first);
  });
  return kernel;
}

double grad_input_flops(const Node&, const KernelSite& site) {
  return flops_of(site.in[0].shape[0], site.in[1].shape);
}
double grad_weights_flops(const Node&, const KernelSite& site) {
  return flops_of(site.in[0].shape[0], site.out[0].shape);
}

const OpDef grad_input_def{.name = "linear_grad_input",
                           .infer = infer_grad_input,
                           .kernel = grad_input,
                           .narrowing = Narrowing::always,
                           .flops = grad_input_flops};
const OpDef grad_weights_def{.name = "linear_grad_weights",
                             .infer = infer_grad_weights,
                             .kernel = grad_weights,
                             .narrowing = Narrowing::always,
                             .flops = grad_weights_flops};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const Values d_params = b.emit_all(grad_weights_def, {d_out[0], n.in[0]});
  Value d_x;
  if (b.wants_grad(n.in[0])) d_x = b.emit(grad_input_def, {d_out[0], n.in[1]});
  return {d_x, d_params[0], d_params[1]};
}

const OpDef linear_def{.name = "linear",
                       .infer = infer,
                       .grad = grad,
                       .kernel = forward,
                       .narrowing = Narrowing::always,
                       .flops = forward_flops};

}  // namespace

Value linear(Builder& b, Value x, Value w, Value bias) { return b.emit(linear_def, {x, w, bias}); }

OpFamily linear_ops() { return {.ops = {&linear_def, &grad_input_def, &grad_weights_def}}; }

}  // namespace convoy::ops
