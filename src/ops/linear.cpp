// The fully connected layer. Rows are cut like batches. The weight gradient is cut by output
// features, with one product per replica. Rows in bf16 are widened and results rounded in a
// thread's scratch: the products are small, and their weights are read once.

#include "ops/linear.h"

#include "base/error.h"
#include "kernels/dense.h"
#include "kernels/sums.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/slices.h"
#include "ops/stored.h"
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
  return {{{x[0], w[0]}, in[0].dtype}};
}

// Rows in fp32 or bf16, and results of the same type; parameters and their gradients are fp32.
FormChoice forms(const Node& n, std::span<const TensorType> offered) {
  FormChoice choice = all_of(Layout::plain, n, offered);
  choice.in[0].dtype = fp32_or_narrow(offered[0].dtype);
  return choice;
}

double flops_of(int64_t rows, const Shape& w) {
  return 2.0 * static_cast<double>(rows) * static_cast<double>(w.count());
}

// The numbers of a row that a task computes: all, unless there are too few rows for 16 threads.
struct RowParts {
  int64_t count, each;

  static RowParts whole(int64_t out) { return {1, out}; }
  static RowParts cut(const Slices& rows, int64_t out) {
    if (rows.size > 1) return whole(out);
    const int64_t each = round_up(divide_up(out, std::max<int64_t>(1, 16 / rows.tasks())), 4);
    return {divide_up(out, each), each};
  }
};

// Calls product(args, rows, from, to, first, n) in fp32 for each slice of rows of `in` and `out`
// numbers, and each part of these: n numbers from `first` on, which `to` points to. Parts are for
// slices of one row.
template <class Product>
std::unique_ptr<Kernel> sliced(const KernelSite& site, const Slices& rows, int64_t in, int64_t out,
                               const RowParts& parts, const Product& product) {
  const StoredIn from(site, 0);
  const StoredOut to(site, 0);
  auto kernel = std::make_unique<PhasedKernel>();
  if (is_narrow(from.type())) kernel->worker_scratch(float_bytes(rows.size * (in + out)));
  kernel->phase(rows.tasks() * parts.count, [=](int task, const KernelArgs& args) {
    const int64_t slice = task / parts.count, begin = task % parts.count * parts.each;
    const int64_t first = rows.first(slice), count = rows.count(slice);
    const int64_t n = std::min(parts.each, out - begin);
    auto* x = reinterpret_cast<float*>(args.worker_scratch);
    const std::byte* stored = from.at(args, first * in);
    std::byte* made = to.at(args, first * out + begin);
    if (from.type() == DType::f32) {
      product(args, count, reinterpret_cast<const float*>(stored), reinterpret_cast<float*>(made),
              begin, n);
      return;
    }
    float* y = x + rows.size * in;
    widen(from.type(), stored, count * in, x);
    product(args, count, x, y, begin, n);
    narrow(to.type(), y, count * n, made);
  });
  return kernel;
}

std::unique_ptr<Kernel> forward(const Node&, const KernelSite& site) {
  const int64_t in = site.in[1].shape[1], out = site.in[1].shape[0];
  const Slices rows = Slices::cut(site.in[0].shape[0], site.replicas);
  const auto w = site.input<float>(1), bias = site.input<float>(2);
  return sliced(site, rows, in, out, RowParts::cut(rows, out),
                [=](auto& args, int64_t count, const float* x, float* y, int64_t first, int64_t n) {
                  // Not oneDNN's gemm: its summation order varies with the number of rows, and the
                  // result of an evaluation must not depend on its batch size.
                  kernels::dense(x, w(args) + first * in, bias(args) + first, count, in, n, y);
                });
}

double forward_flops(const Node&, const KernelSite& site) {
  return flops_of(site.in[0].shape[0], site.in[1].shape);
}

// in: d_y, w
Types infer_grad_input(const Node&, std::span<const TensorType> in) {
  return {{{in[0].shape[0], in[1].shape[1]}, in[0].dtype}};
}
std::unique_ptr<Kernel> grad_input(const Node&, const KernelSite& site) {
  const int64_t in = site.in[1].shape[1], out = site.in[1].shape[0];
  const Slices rows = Slices::cut(site.in[0].shape[0], site.replicas);
  const auto w = site.input<float>(1);
  return sliced(site, rows, out, in, RowParts::whole(in),
                [=](auto& args, int64_t count, const float* d_y, float* d_x, int64_t, int64_t) {
                  onednn::gemm(false, false, count, in, out, d_y, out, w(args), in, false, d_x, in);
                });
}

// in: d_y, x; out: d_w, d_bias
Types infer_grad_weights(const Node&, std::span<const TensorType> in) {
  const int64_t out = in[0].shape[1];
  return {{{out, in[1].shape[1]}}, {{out}}};
}
// Both in one type: of two different ones in fp32, which loses nothing.
FormChoice grad_weights_forms(const Node& n, std::span<const TensorType> offered) {
  return moved<all_plain>(n, offered);
}
std::unique_ptr<Kernel> grad_weights(const Node&, const KernelSite& site) {
  constexpr int64_t features = 16;
  const int64_t out = site.in[0].shape[1], in = site.in[1].shape[1], replicas = site.replicas;
  const int64_t rows = site.in[0].shape[0], batch = rows / replicas;
  const StoredIn d_out(site, 0), x_in(site, 1);
  const auto d_weights = site.output<float>(0), d_biases = site.output<float>(1);
  const bool narrow = is_narrow(x_in.type());
  auto kernel = std::make_unique<PhasedKernel>();
  // bf16 is widened once for all tasks: d_y, then x.
  const int64_t d_y_count = rows * out, x_count = rows * in;
  if (narrow) {
    kernel->scratch(float_bytes(d_y_count + x_count));
    kernel->phase(Chunks{d_y_count + x_count}.tasks(), [=](int task, const KernelArgs& args) {
      auto* to = reinterpret_cast<float*>(args.scratch);
      const Chunks chunks{d_y_count + x_count};
      const int64_t begin = chunks.begin(task), end = begin + chunks.length(task);
      const int64_t border = std::clamp(d_y_count, begin, end);
      widen(x_in.type(), d_out.at(args, begin), border - begin, to + begin);
      widen(x_in.type(), x_in.at(args, border - d_y_count), end - border, to + border);
    });
  }
  // This task's rows of every replica's gradient: [replicas, features, in + 1].
  kernel->worker_scratch(float_bytes(replicas * features * (in + 1)));
  kernel->phase(divide_up(out, features), [=](int task, const KernelArgs& args) {
    const int64_t first = task * features, count = std::min(features, out - first);
    const auto* wide = reinterpret_cast<const float*>(args.scratch);
    const float* d_ys = narrow ? wide : reinterpret_cast<const float*>(d_out.at(args));
    const float* x = narrow ? wide + d_y_count : reinterpret_cast<const float*>(x_in.at(args));
    auto* d_w = reinterpret_cast<float*>(args.worker_scratch);
    float* d_bias = d_w + replicas * features * in;
    for (int64_t r = 0; r < replicas; ++r) {
      const float* d_y = d_ys + r * batch * out + first;
      onednn::gemm(true, false, count, in, batch, d_y, out, x + r * batch * in, in, false,
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
                           .forms = forms,
                           .narrowing = Narrowing::always,
                           .flops = grad_input_flops};
const OpDef grad_weights_def{.name = "linear_grad_weights",
                             .infer = infer_grad_weights,
                             .kernel = grad_weights,
                             .forms = grad_weights_forms,
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
                       .forms = forms,
                       .narrowing = Narrowing::always,
                       .flops = forward_flops};

}  // namespace

Value linear(Builder& b, Value x, Value w, Value bias) { return b.emit(linear_def, {x, w, bias}); }

OpFamily linear_ops() { return {.ops = {&linear_def, &grad_input_def, &grad_weights_def}}; }

}  // namespace convoy::ops
