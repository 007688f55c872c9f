// One pass over x for the sums (shifted by the first pixel, so that a large mean does not cost
// digits), one to apply; the backward pass likewise. Images are summed in order, replicas in a
// tree.

#include "ops/batch_norm_kernels.h"

#include <cmath>

#include "kernels/norm.h"
#include "kernels/sums.h"
#include "ops/norm_planes.h"

namespace convoy::ops {
namespace {

// scale and shift of one channel block from saved mean and 1 / deviation.
void make_affine(const float* mean, const float* inverse, const float* gamma, const float* beta,
                 int64_t count, float* scale, float* shift) {
  for (int64_t c = 0; c < count; ++c) {
    scale[c] = gamma[c] * inverse[c];
    shift[c] = beta[c] - mean[c] * scale[c];
  }
}

class TrainKernel : public Kernel {
 public:
  TrainKernel(const BatchNormAttrs& a, const Shape& x)
      : attrs_(a), planes_(x), batch_(x[0] / a.replicas), vector_(planes_.vector()) {}

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 1 ? planes_.blocks : planes_.tasks());
  }
  // Sums of each image [images, 2, C'], then scale and shift of each replica [replicas, 2, C'],
  // then what each replica says about the running statistics [replicas, 2, C'].
  size_t scratch_bytes() const override {
    return static_cast<size_t>((planes_.images + 2 * attrs_.replicas) * 2 * vector_) *
           sizeof(float);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    if (phase == 0) return sum(task, args);
    if (phase == 1) return combine(task, args);
    apply(task, args);
  }

 private:
  float* sums(const KernelArgs& args) const { return reinterpret_cast<float*>(args.scratch); }
  float* affine(const KernelArgs& args) const { return sums(args) + planes_.images * 2 * vector_; }
  float* leaves(const KernelArgs& args) const {
    return affine(args) + attrs_.replicas * 2 * vector_;
  }

  // The first pixel of the replica, a good guess of the mean.
  const float* guess(const KernelArgs& args, int64_t replica, int64_t channel) const {
    const int64_t plane = replica * batch_ * planes_.blocks + channel / planes_.block;
    return args.input(0) + plane * planes_.plane_floats();
  }

  void sum(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args) + image * 2 * vector_ + channel;
      kernels::norm_sums(planes_.plane(), args.input(0) + at, guess(args, image / batch_, channel),
                         mine, mine + vector_);
    });
  }

  void combine(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    const int64_t count = std::min(planes_.block, planes_.channels - first);
    const auto pixels = static_cast<double>(batch_ * planes_.pixels);
    for (int64_t r = 0; r < attrs_.replicas; ++r) {
      float* mean = args.output(1) + r * 2 * vector_ + first;
      float* inverse = mean + vector_;
      float* leaf = leaves(args) + r * 2 * vector_ + first;
      // The gradient reads whole blocks: padding must be numbers.
      std::fill_n(mean, planes_.block, 0.0f);
      std::fill_n(inverse, planes_.block, 0.0f);
      for (int64_t c = 0; c < count; ++c) {
        double sum = 0, square = 0;
        const float* part = sums(args) + r * batch_ * 2 * vector_ + first + c;
        for (int64_t i = 0; i < batch_; ++i, part += 2 * vector_) {
          sum += part[0];
          square += part[vector_];
        }
        const double offset = sum / pixels;
        const double variance = std::max(0.0, square / pixels - offset * offset);
        const double center = guess(args, r, first)[c] + offset;
        mean[c] = static_cast<float>(center);
        inverse[c] =
            static_cast<float>(1 / std::sqrt(variance + static_cast<double>(attrs_.epsilon)));
        leaf[c] = mean[c];
        leaf[vector_ + c] = static_cast<float>(variance * pixels / std::max(1.0, pixels - 1));
      }
      float* scale = affine(args) + r * 2 * vector_ + first;
      std::fill_n(scale, planes_.block, 0.0f);
      std::fill_n(scale + vector_, planes_.block, 0.0f);
      make_affine(mean, inverse, args.input(1) + first, args.input(2) + first, count, scale,
                  scale + vector_);
    }
    float* leaf = leaves(args) + first;
    kernels::tree_sum(leaf, 2 * vector_, attrs_.replicas, count);
    kernels::tree_sum(leaf + vector_, 2 * vector_, attrs_.replicas, count);
    std::copy_n(leaf, count, args.output(2) + first);
    std::copy_n(leaf + vector_, count, args.output(3) + first);
  }

  void apply(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* scale = affine(args) + image / batch_ * 2 * vector_ + channel;
      kernels::norm_apply(planes_.plane(), args.input(0) + at,
                          attrs_.residual ? args.input(3) + at : nullptr, scale, scale + vector_,
                          attrs_.act, args.output(0) + at);
    });
  }

  BatchNormAttrs attrs_;
  NormPlanes planes_;
  int64_t batch_, vector_;
};

class GradKernel : public Kernel {
 public:
  GradKernel(const BatchNormGradAttrs& a, const Shape& x)
      : attrs_(a),
        planes_(x),
        replicas_(a.forward.replicas),
        batch_(x[0] / replicas_),
        vector_(planes_.vector()) {}

  int phases() const override { return 4; }
  int tasks(int phase) const override {
    return static_cast<int>(phase % 2 == 0 ? planes_.blocks : planes_.tasks());
  }
  // Affine of each replica [replicas, 2, C'], sums of each image [images, 2, C'], coefficients of
  // each replica [replicas, 3, C'], gradients of each replica [replicas, 2, C'].
  size_t scratch_bytes() const override {
    return static_cast<size_t>((7 * replicas_ + 2 * planes_.images) * vector_) * sizeof(float);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    switch (phase) {
      case 0:
        return prepare(task, args);
      case 1:
        return sum(task, args);
      case 2:
        return combine(task, args);
      default:
        return apply(task, args);
    }
  }

 private:
  float* affine(const KernelArgs& args) const { return reinterpret_cast<float*>(args.scratch); }
  float* sums(const KernelArgs& args) const { return affine(args) + replicas_ * 2 * vector_; }
  float* coefficients(const KernelArgs& args) const {
    return sums(args) + planes_.images * 2 * vector_;
  }
  float* leaves(const KernelArgs& args) const {
    return coefficients(args) + replicas_ * 3 * vector_;
  }
  const float* saved(const KernelArgs& args, int64_t replica) const {
    return args.input(4) + replica * 2 * vector_;
  }
  int64_t count(int64_t first) const { return std::min(planes_.block, planes_.channels - first); }

  void prepare(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    for (int64_t r = 0; r < replicas_; ++r) {
      float* scale = affine(args) + r * 2 * vector_ + first;
      std::fill_n(scale, planes_.block, 0.0f);
      std::fill_n(scale + vector_, planes_.block, 0.0f);
      make_affine(saved(args, r) + first, saved(args, r) + vector_ + first, args.input(2) + first,
                  args.input(3) + first, count(first), scale, scale + vector_);
    }
  }

  kernels::NormMask mask() const {
    switch (attrs_.forward.act) {
      case kernels::NormAct::none:
        return kernels::NormMask::none;
      case kernels::NormAct::relu:
        return attrs_.uses_y() ? kernels::NormMask::output : kernels::NormMask::recompute;
      case kernels::NormAct::swish:
        return kernels::NormMask::swish;
    }
    return kernels::NormMask::none;
  }

  kernels::NormGradPlane plane(const KernelArgs& args, int64_t image, int64_t channel,
                               int64_t at) const {
    const int64_t r = image / batch_;
    const float* scale = affine(args) + r * 2 * vector_ + channel;
    const bool y = attrs_.uses_y();
    return {.plane = planes_.plane(),
            .mask = mask(),
            .x = args.input(1) + at,
            .y = y ? args.input(5) + at : nullptr,
            .d_y = args.input(0) + at,
            .d_y2 = attrs_.two ? args.input(y ? 6 : 5) + at : nullptr,
            .mean = saved(args, r) + channel,
            .scale = scale,
            .shift = scale + vector_};
  }

  void sum(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args) + image * 2 * vector_ + channel;
      kernels::norm_grad_sums(plane(args, image, channel, at), mine, mine + vector_,
                              attrs_.forward.residual ? args.output(3) + at : nullptr);
    });
  }

  // d_x = a g + b (x - mean) + c with g the arriving gradient, so that the sums of d_x and of
  // d_x * (x - mean) over the replica vanish.
  void combine(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    const auto pixels = static_cast<double>(batch_ * planes_.pixels);
    for (int64_t r = 0; r < replicas_; ++r) {
      const float* inverse = saved(args, r) + vector_ + first;
      float* a = coefficients(args) + r * 3 * vector_ + first;
      float* b = a + vector_;
      float* c = b + vector_;
      float* d_gamma = leaves(args) + r * 2 * vector_ + first;
      float* d_beta = d_gamma + vector_;
      for (float* v : {a, b, c}) std::fill_n(v, planes_.block, 0.0f);
      for (int64_t k = 0; k < count(first); ++k) {
        double sum = 0, dot = 0;
        const float* part = sums(args) + r * batch_ * 2 * vector_ + first + k;
        for (int64_t i = 0; i < batch_; ++i, part += 2 * vector_) {
          sum += part[0];
          dot += part[vector_];
        }
        const double scale = static_cast<double>(args.input(2)[first + k]) * inverse[k];
        a[k] = static_cast<float>(scale);
        if (!attrs_.fixed) {
          b[k] = static_cast<float>(-scale * inverse[k] * inverse[k] * dot / pixels);
          c[k] = static_cast<float>(-scale * sum / pixels);
        }
        d_gamma[k] = static_cast<float>(dot * inverse[k]);
        d_beta[k] = static_cast<float>(sum);
      }
    }
    float* leaf = leaves(args) + first;
    kernels::tree_sum(leaf, 2 * vector_, replicas_, count(first));
    kernels::tree_sum(leaf + vector_, 2 * vector_, replicas_, count(first));
    std::copy_n(leaf, count(first), args.output(1) + first);
    std::copy_n(leaf + vector_, count(first), args.output(2) + first);
  }

  void apply(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* a = coefficients(args) + image / batch_ * 3 * vector_ + channel;
      kernels::NormGradPlane p = plane(args, image, channel, at);
      if (attrs_.forward.residual) {  // the first pass has left what arrived
        p.mask = kernels::NormMask::none;
        p.d_y = args.output(3) + at;
        p.d_y2 = nullptr;
      }
      kernels::norm_grad_apply(p, a, a + vector_, a + 2 * vector_, args.output(0) + at);
    });
  }

  BatchNormGradAttrs attrs_;
  NormPlanes planes_;
  int64_t replicas_, batch_, vector_;
};

float inverse_deviation(float variance, float epsilon) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(variance) + static_cast<double>(epsilon)));
}

}  // namespace

std::unique_ptr<Kernel> batch_norm_train(const BatchNormAttrs& attrs, const Shape& x) {
  return std::make_unique<TrainKernel>(attrs, x);
}

std::unique_ptr<Kernel> batch_norm_grad(const BatchNormGradAttrs& attrs, const Shape& x) {
  return std::make_unique<GradKernel>(attrs, x);
}

std::unique_ptr<Kernel> batch_norm_saved(const BatchNormAttrs& a, int64_t channels) {
  const int64_t vector = channel_vector(channels);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(a.replicas, [=](int replica, const KernelArgs& args) {
    float* mean = args.output(0) + replica * 2 * vector;
    std::fill_n(mean, 2 * vector, 0.0f);
    for (int64_t c = 0; c < channels; ++c) {
      mean[c] = args.input(0)[c];
      mean[vector + c] = inverse_deviation(args.input(1)[c], a.epsilon);
    }
  });
  return kernel;
}

std::unique_ptr<Kernel> batch_norm_eval(const BatchNormAttrs& a, const Shape& x) {
  const NormPlanes planes(x);
  const int64_t vector = planes.vector();
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(static_cast<size_t>(2 * vector) * sizeof(float));
  kernel->phase(1, [=](int, const KernelArgs& args) {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    std::fill_n(scale, 2 * vector, 0.0f);
    // As in training with these statistics: its gradient computes the same again.
    for (int64_t c = 0; c < planes.channels; ++c) {
      const float inverse = inverse_deviation(args.input(4)[c], a.epsilon);
      make_affine(args.input(3) + c, &inverse, args.input(1) + c, args.input(2) + c, 1, scale + c,
                  scale + vector + c);
    }
  });
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    const auto* scale = reinterpret_cast<const float*>(args.scratch);
    planes.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::norm_apply(planes.plane(), args.input(0) + at,
                          a.residual ? args.input(5) + at : nullptr, scale + channel,
                          scale + vector + channel, a.act, args.output(0) + at);
    });
  });
  return kernel;
}

}  // namespace convoy::ops
