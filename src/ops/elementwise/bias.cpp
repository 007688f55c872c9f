// Adds one number per channel to all its pixels. The gradient sums images in order and replicas in
// a tree.

#include "ops/elementwise/bias.h"

#include "base/error.h"
#include "kernels/elementwise.h"
#include "kernels/norm.h"
#include "kernels/sums.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/norm/norm_planes.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  if (in[0].shape.rank() != 4 || in[1].shape != Shape{in[0].shape[1]}) {
    raise(Fault::usage, "a bias {} does not fit an image {}", to_string(in[1].shape),
          to_string(in[0].shape));
  }
  return {{in[0].shape, in[0].dtype}};
}

template <class T>
std::unique_ptr<Kernel> forward_in(const KernelSite& site) {
  const NormPlanes planes(site.in[0].shape);
  const auto x = site.input<T>(0);
  const auto of_channel = site.input<float>(1);
  const auto y = site.output<T>(0);
  return one_phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t, int64_t channel, int64_t at) {
      float ones[16], bias[16] = {};
      std::fill_n(ones, 16, 1.0f);
      std::copy_n(of_channel(args) + channel, std::min(planes.block, planes.channels - channel),
                  bias);
      kernels::norm_apply(planes.plane<T>(), x(args) + at, nullptr, ones, bias,
                          kernels::NormAct::none, y(args) + at);
    });
  });
}

std::unique_ptr<Kernel> forward(const Node&, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return forward_in<T>(site); });
}

struct GradAttrs {
  int64_t replicas;
};

// in: d_y; out: d_bias
Types infer_grad(const Node& n, std::span<const TensorType> in) {
  expect(in[0].shape[0] % n.attrs<GradAttrs>().replicas == 0, "replicas divide the batch");
  return {{{in[0].shape[1]}}};
}

template <class T>
std::unique_ptr<Kernel> backward_in(const Node& n, const KernelSite& site) {
  const NormPlanes planes(site.in[0].shape);
  const int64_t replicas = n.attrs<GradAttrs>().replicas, batch = planes.images / replicas;
  const int64_t vector = planes.padded_channels();
  const auto d_y = site.input<T>(0);
  const auto d_bias = site.output<float>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  // Scratch: sums of each image [n, C'], then of each replica [replicas, C'].
  kernel->scratch(float_bytes((planes.images + replicas) * vector));
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      kernels::sum_rows(d_y(args) + at,
                        reinterpret_cast<float*>(args.scratch) + image * vector + channel,
                        planes.pixels, planes.block);
    });
  });
  kernel->phase(planes.blocks, [=](int task, const KernelArgs& args) {
    const int64_t first = task * planes.block;
    const int64_t count = std::min(planes.block, planes.channels - first);
    const float* sums = reinterpret_cast<const float*>(args.scratch) + first;
    float* leaves = reinterpret_cast<float*>(args.scratch) + planes.images * vector + first;
    for (int64_t r = 0; r < replicas; ++r) {
      for (int64_t c = 0; c < count; ++c) {
        double sum = 0;
        for (int64_t i = r * batch; i < (r + 1) * batch; ++i) sum += sums[i * vector + c];
        leaves[r * vector + c] = static_cast<float>(sum);
      }
    }
    kernels::tree_sum(leaves, vector, replicas, count);
    std::copy_n(leaves, count, d_bias(args) + first);
  });
  return kernel;
}

std::unique_ptr<Kernel> backward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return backward_in<T>(n, site); });
}

const OpDef grad_def{.name = "add_bias_grad",
                     .infer = infer_grad,
                     .kernel = backward,
                     .forms = stored_as<blocked_images>,
                     .narrowing = Narrowing::follows};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  Values d{d_out[0], {}};
  if (b.wants_grad(n.in[1])) d[1] = b.emit(grad_def, {d_out[0]}, GradAttrs{b.graph().replicas});
  return d;
}

}  // namespace

const OpDef add_bias_def{.name = "add_bias",
                         .infer = infer,
                         .grad = grad,
                         .kernel = forward,
                         .inplace_input = 0,
                         .forms = stored_as<blocked_images>,
                         .narrowing = Narrowing::follows};

Value add_bias(Builder& b, Value x, Value bias) { return b.emit(add_bias_def, {x, bias}); }

OpFamily bias_ops() { return {.ops = {&add_bias_def, &grad_def}}; }

}  // namespace convoy::ops
