#include "ops/norm/norm_again.h"

#include <algorithm>

#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/norm/norm_planes.h"

namespace convoy::ops {
namespace {

using kernels::NormAct;

Types infer(const Node&, std::span<const TensorType> in) {
  expect(in[0].shape[0] % in[3].shape[0] == 0, "groups of whole images");
  return {{in[0].shape, in[0].dtype}};
}

// in: x, gamma, beta, saved [, residual]; out: y
template <class T>
std::unique_ptr<Kernel> kernel_in(const Node& n, const KernelSite& site) {
  const NormPlanes planes(site.in[0].shape);
  const int64_t vector = planes.padded_channels(), groups = site.in[3].shape[0];
  const int64_t batch = planes.images / groups;
  const NormAct act = n.attrs<NormAct>();
  const auto x = site.input<T>(0), residual = site.in.size() > 4 ? site.input<T>(4) : In<T>();
  const auto gamma = site.input<float>(1), beta = site.input<float>(2),
             saved = site.input<float>(3);
  const auto y = site.output<T>(0);
  const auto affine = [=](const KernelArgs& args, int64_t group) {
    return reinterpret_cast<float*>(args.scratch) + group * 2 * vector;
  };
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(float_bytes(groups * 2 * vector));
  kernel->phase(groups, [=](int group, const KernelArgs& args) {
    const float* mean = saved(args) + group * 2 * vector;
    float* scale = affine(args, group);
    std::fill_n(scale, 2 * vector, 0.0f);  // whole blocks are read
    make_affine(mean, mean + vector, gamma(args), beta(args), planes.channels, scale,
                scale + vector);
  });
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* scale = affine(args, image / batch) + channel;
      kernels::norm_apply(planes.plane<T>(), x(args) + at, residual ? residual(args) + at : nullptr,
                          scale, scale + vector, act, y(args) + at);
    });
  });
  return kernel;
}

std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return kernel_in<T>(n, site); });
}

const OpDef norm_again_def{.name = "norm_again",
                           .infer = infer,
                           .kernel = kernel,
                           .forms = stored_as<blocked_images>,
                           .narrowing = Narrowing::follows};

}  // namespace

Value norm_again(Builder& b, Value x, Value gamma, Value beta, Value saved, Value residual,
                 NormAct act) {
  Values in{x, gamma, beta, saved};
  if (residual) in.push_back(residual);
  return b.emit(norm_again_def, in, act);
}

OpFamily norm_again_ops() { return {.ops = {&norm_again_def}}; }

}  // namespace convoy::ops
