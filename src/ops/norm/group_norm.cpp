// Group norm with the same planes as batch norm: sums per image and channel, merged over the
// channels of a group, then one affine map per image and channel.

#include "ops/norm/group_norm.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "kernels/norm.h"
#include "kernels/sums.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/norm/norm_again.h"
#include "ops/norm/norm_planes.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  int64_t groups;
  float epsilon;
  int64_t replicas = 1;
};

std::string describe(const Node& n) {
  return fmt::format("groups {} eps {}", n.attrs<Attrs>().groups, n.attrs<Attrs>().epsilon);
}

// in: x, gamma, beta; out: y, saved [n, 2, C'] (mean and 1 / deviation of each channel's group)
Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const Shape& x = in[0].shape;
  expect(x[0] % n.attrs<Attrs>().replicas == 0, "replicas divide the batch");
  const int64_t groups = n.attrs<Attrs>().groups;
  if (x.rank() != 4 || groups < 1 || x[1] % groups != 0 || in[1].shape != Shape{x[1]} ||
      in[2].shape != Shape{x[1]}) {
    raise(Fault::usage,
          "group norm of {} in {} groups makes no sense; try: a divisor of {} for --groups",
          to_string(x), groups, x.rank() == 4 ? x[1] : 0);
  }
  return {{x, in[0].dtype}, {{x[0], 2, channel_vector(x[1])}}};
}

template <class T>
std::unique_ptr<Kernel> forward_in(const Node& n, const KernelSite& site) {
  const Attrs a = n.attrs<Attrs>();
  const NormPlanes planes(site.in[0].shape);
  const int64_t vector = planes.padded_channels(), width = planes.channels / a.groups;
  const auto x = site.input<T>(0);
  const auto gamma = site.input<float>(1), beta = site.input<float>(2);
  const auto y = site.output<T>(0);
  const auto saved = site.output<float>(1);
  // Scratch: sums of each image [n, 2, C'], then its scale and shift [n, 2, C'].
  const auto sums = [=](const KernelArgs& args, int64_t image) {
    return reinterpret_cast<float*>(args.scratch) + image * 2 * vector;
  };
  const auto affine = [=](const KernelArgs& args, int64_t image) {
    return sums(args, planes.images + image);
  };
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(float_bytes(4 * planes.images * vector));
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const T* first = x(args) + at;  // its first pixel is the estimate of the mean
      kernels::norm_sums(planes.plane<T>(), first, first, sums(args, image) + channel,
                         sums(args, image) + vector + channel);
    });
  });
  kernel->phase(planes.images, [=](int image, const KernelArgs& args) {
    const float* sum = sums(args, image);
    float* mean = saved(args) + image * 2 * vector;
    float* inverse = mean + vector;
    float* scale = affine(args, image);
    float* shift = scale + vector;
    std::fill_n(scale, 2 * vector, 0.0f);
    std::fill_n(mean, 2 * vector, 0.0f);  // the gradient reads whole blocks
    const auto pixels = static_cast<double>(planes.pixels);
    for (int64_t g = 0; g < a.groups; ++g) {
      // Merges mean and squared deviation of each channel into the group's (Chan's formula).
      double count = 0, center = 0, squares = 0;
      for (int64_t c = g * width; c < (g + 1) * width; ++c) {
        const int64_t plane = image * planes.blocks + c / planes.block;
        const double guess = widened(x(args)[plane * planes.plane_floats() + c % planes.block]);
        const double offset = sum[c] / pixels;
        const double mine = guess + offset, own = std::max(0.0, sum[vector + c] - sum[c] * offset);
        const double delta = mine - center, total = count + pixels;
        center += delta * pixels / total;
        squares += own + delta * delta * count * pixels / total;
        count = total;
      }
      const double deviation = std::sqrt(squares / count + static_cast<double>(a.epsilon));
      for (int64_t c = g * width; c < (g + 1) * width; ++c) {
        mean[c] = static_cast<float>(center);
        inverse[c] = static_cast<float>(1 / deviation);
        scale[c] = gamma(args)[c] * inverse[c];
        shift[c] = beta(args)[c] - mean[c] * scale[c];
      }
    }
  });
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* scale = affine(args, image) + channel;
      kernels::norm_apply(planes.plane<T>(), x(args) + at, nullptr, scale, scale + vector,
                          kernels::NormAct::none, y(args) + at);
    });
  });
  return kernel;
}

// in: d_y, x, gamma, saved; out: d_x, d_gamma, d_beta
Types infer_grad(const Node&, std::span<const TensorType> in) {
  return {{in[1].shape, in[1].dtype}, {in[2].shape}, {in[2].shape}};
}

// Of one group: sums over its channels of gamma times each sum of d_y, then the coefficients of
// d_y, x and 1 in d_x. `sum`: [2, C'] of the image; `out`: [3, C'].
void set_coefficients(const float* sum, const float* gamma, const float* inverse, int64_t vector,
                      int64_t begin, int64_t end, double count, float* out) {
  double total = 0, dot = 0;
  for (int64_t c = begin; c < end; ++c) {
    total += static_cast<double>(gamma[c]) * sum[c];
    dot += static_cast<double>(gamma[c]) * sum[vector + c];
  }
  for (int64_t c = begin; c < end; ++c) {
    const double inv = inverse[c];
    out[c] = static_cast<float>(gamma[c] * inv);
    out[vector + c] = static_cast<float>(-inv * inv * inv * dot / count);
    out[2 * vector + c] = static_cast<float>(-inv * total / count);
  }
}

// The leaf of a replica, [2, C'], of `count` channels: the sums of its images in order. Of an image
// `sums` has [2, C'] and `inverse` every other [C'].
void sum_images(const float* sums, const float* inverse, int64_t vector, int64_t images,
                int64_t count, float* leaf) {
  for (int64_t c = 0; c < count; ++c) {
    double dot = 0, total = 0;
    for (int64_t image = 0; image < images; ++image) {
      const int64_t at = image * 2 * vector + c;
      total += sums[at];
      dot += static_cast<double>(sums[at + vector]) * inverse[at];
    }
    leaf[c] = static_cast<float>(dot);
    leaf[vector + c] = static_cast<float>(total);
  }
}

template <class T>
std::unique_ptr<Kernel> backward_in(const Node& n, const KernelSite& site) {
  const Attrs a = n.attrs<Attrs>();
  const NormPlanes planes(site.in[1].shape);
  const int64_t vector = planes.padded_channels(), width = planes.channels / a.groups,
                batch = planes.images / a.replicas;
  const auto d_y = site.input<T>(0), x = site.input<T>(1);
  const auto gamma = site.input<float>(2), saved = site.input<float>(3);
  const auto d_x = site.output<T>(0);
  const auto d_gamma = site.output<float>(1), d_beta = site.output<float>(2);
  // Scratch: sums of each image [n, 2, C'], coefficients [n, 3, C'], leaves [replicas, 2, C'].
  const auto sums = [=](const KernelArgs& args, int64_t image) {
    return reinterpret_cast<float*>(args.scratch) + image * 2 * vector;
  };
  const auto coefficients = [=](const KernelArgs& args, int64_t image) {
    return sums(args, planes.images) + image * 3 * vector;
  };
  const auto leaves = [=](const KernelArgs& args) { return coefficients(args, planes.images); };
  const auto plane = [=](const KernelArgs& args, int64_t image, int64_t channel, int64_t at) {
    return kernels::NormGradPlane<T>{.plane = planes.plane<T>(),
                                     .mask = kernels::NormMask::none,
                                     .x = x(args) + at,
                                     .y = nullptr,
                                     .d_y = d_y(args) + at,
                                     .d_y2 = nullptr,
                                     .mean = saved(args) + image * 2 * vector + channel,
                                     .scale = nullptr,
                                     .shift = nullptr};
  };
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(float_bytes((5 * planes.images + 2 * a.replicas) * vector));
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args, image) + channel;
      kernels::norm_grad_sums(plane(args, image, channel, at), mine, mine + vector, nullptr);
    });
  });
  kernel->phase(planes.images, [=](int image, const KernelArgs& args) {
    const float* inverse = saved(args) + image * 2 * vector + vector;
    float* out = coefficients(args, image);
    std::fill_n(out, 3 * vector, 0.0f);
    for (int64_t g = 0; g < a.groups; ++g) {
      set_coefficients(sums(args, image), gamma(args), inverse, vector, g * width, (g + 1) * width,
                       static_cast<double>(planes.pixels * width), out);
    }
  });
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    planes.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* c = coefficients(args, image) + channel;
      kernels::norm_grad_apply(plane(args, image, channel, at), c, c + vector, c + 2 * vector,
                               d_x(args) + at);
    });
  });
  // d_gamma and d_beta: images in order, replicas in a tree.
  kernel->phase(planes.blocks, [=](int task, const KernelArgs& args) {
    const int64_t first = task * planes.block;
    const int64_t count = std::min(planes.block, planes.channels - first);
    for (int64_t r = 0; r < a.replicas; ++r) {
      float* leaf = leaves(args) + r * 2 * vector + first;
      const int64_t at = r * batch * 2 * vector + first;
      sum_images(sums(args, 0) + at, saved(args) + at + vector, vector, batch, count, leaf);
    }
    float* leaf = leaves(args) + first;
    kernels::tree_sum(leaf, 2 * vector, a.replicas, count);
    kernels::tree_sum(leaf + vector, 2 * vector, a.replicas, count);
    std::copy_n(leaf, count, d_gamma(args) + first);
    std::copy_n(leaf + vector, count, d_beta(args) + first);
  });
  return kernel;
}

std::unique_ptr<Kernel> forward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return forward_in<T>(n, site); });
}
std::unique_ptr<Kernel> backward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[1], [&]<class T>() { return backward_in<T>(n, site); });
}

const OpDef grad_def{.name = "group_norm_grad",
                     .infer = infer_grad,
                     .kernel = backward,
                     .forms = stored_as<blocked_images, 1>,
                     .narrowing = Narrowing::follows,
                     .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return b.emit_all(grad_def, {d_out[0], n.in[0], n.in[1], n.out[1]}, n.attrs<Attrs>());
}

Value again(Builder& b, const Node& n) {
  return norm_again(b, n.in[0], n.in[1], n.in[2], n.out[1], {}, kernels::NormAct::none);
}

const OpDef group_norm_def{.name = "group_norm",
                           .infer = infer,
                           .grad = grad,
                           .kernel = forward,
                           .forms = stored_as<blocked_images>,
                           .narrowing = Narrowing::follows,
                           .describe = describe,
                           .again = again};

}  // namespace

Value group_norm(Builder& b, Value x, Value gamma, Value beta, const GroupNormOptions& options) {
  return b.emit(group_norm_def, {x, gamma, beta},
                Attrs{options.groups, options.epsilon, b.graph().replicas});
}

GroupNormOptions group_norm_options(const Node& n) {
  return {n.attrs<Attrs>().groups, n.attrs<Attrs>().epsilon};
}

OpFamily group_norm_ops() { return {.ops = {&group_norm_def, &grad_def}}; }

}  // namespace convoy::ops
