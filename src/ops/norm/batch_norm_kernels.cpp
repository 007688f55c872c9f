// One pass over x for the sums (shifted by the first pixel, so that a large mean loses no
// precision), one to apply; the backward pass likewise. Images are summed in order, replicas in a
// tree.

#include "ops/norm/batch_norm_kernels.h"

#include <cmath>

#include "kernels/norm.h"
#include "kernels/sums.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/norm/norm_planes.h"

namespace convoy::ops {
namespace {

// T: storage type of images.
template <class T>
class TrainKernel : public Kernel {
 public:
  TrainKernel(const BatchNormAttrs& a, const KernelSite& site)
      : attrs_(a),
        planes_(site.in[0].shape),
        batch_(planes_.images / a.replicas),
        vector_(planes_.padded_channels()),
        x_(site.input<T>(0)),
        gamma_(site.input<float>(1)),
        beta_(site.input<float>(2)),
        y_(site.output<T>(0)),
        saved_(site.output<float>(1)),
        mean_(site.output<float>(2)),
        variance_(site.output<float>(3)) {
    if (a.residual) residual_ = site.input<T>(3);
  }

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 1 ? planes_.blocks : planes_.tasks());
  }
  // Sums of each image [images, 2, C'], then scale and shift of each replica [replicas, 2, C'],
  // then each replica's values for the running statistics [replicas, 2, C'].
  size_t scratch_bytes() const override {
    return float_bytes((planes_.images + 2 * attrs_.replicas) * 2 * vector_);
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

  // The first pixel of the replica, as an estimate of the mean.
  const T* guess(const KernelArgs& args, int64_t replica, int64_t channel) const {
    const int64_t plane = replica * batch_ * planes_.blocks + channel / planes_.block;
    return x_(args) + plane * planes_.plane_floats();
  }

  void sum(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args) + image * 2 * vector_ + channel;
      kernels::norm_sums(planes_.plane<T>(), x_(args) + at, guess(args, image / batch_, channel),
                         mine, mine + vector_);
    });
  }

  void combine(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    const int64_t count = std::min(planes_.block, planes_.channels - first);
    const auto pixels = static_cast<double>(batch_ * planes_.pixels);
    for (int64_t r = 0; r < attrs_.replicas; ++r) {
      float* mean = saved_(args) + r * 2 * vector_ + first;
      float* inverse = mean + vector_;
      float* leaf = leaves(args) + r * 2 * vector_ + first;
      // The gradient reads whole blocks: padding must not be NaN.
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
        const double center = widened(guess(args, r, first)[c]) + offset;
        mean[c] = static_cast<float>(center);
        inverse[c] =
            static_cast<float>(1 / std::sqrt(variance + static_cast<double>(attrs_.epsilon)));
        leaf[c] = mean[c];
        leaf[vector_ + c] = static_cast<float>(attrs_.fed(variance, pixels));
      }
      float* scale = affine(args) + r * 2 * vector_ + first;
      std::fill_n(scale, planes_.block, 0.0f);
      std::fill_n(scale + vector_, planes_.block, 0.0f);
      make_affine(mean, inverse, gamma_(args) + first, beta_(args) + first, count, scale,
                  scale + vector_);
    }
    float* leaf = leaves(args) + first;
    kernels::tree_sum(leaf, 2 * vector_, attrs_.replicas, count);
    kernels::tree_sum(leaf + vector_, 2 * vector_, attrs_.replicas, count);
    std::copy_n(leaf, count, mean_(args) + first);
    std::copy_n(leaf + vector_, count, variance_(args) + first);
  }

  void apply(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* scale = affine(args) + image / batch_ * 2 * vector_ + channel;
      kernels::norm_apply(planes_.plane<T>(), x_(args) + at,
                          residual_ ? residual_(args) + at : nullptr, scale, scale + vector_,
                          attrs_.act, y_(args) + at);
    });
  }

  BatchNormAttrs attrs_;
  NormPlanes planes_;
  int64_t batch_, vector_;
  In<T> x_, residual_;
  In<float> gamma_, beta_;
  Out<T> y_;
  Out<float> saved_, mean_, variance_;
};

template <class T>
class GradKernel : public Kernel {
 public:
  GradKernel(const BatchNormGradAttrs& a, const KernelSite& site)
      : attrs_(a),
        planes_(site.in[1].shape),
        replicas_(a.forward.replicas),
        batch_(planes_.images / replicas_),
        vector_(planes_.padded_channels()),
        d_y_(site.input<T>(0)),
        x_(site.input<T>(1)),
        gamma_(site.input<float>(2)),
        beta_(site.input<float>(3)),
        saved_(site.input<float>(4)),
        d_x_(site.output<T>(0)),
        d_gamma_(site.output<float>(1)),
        d_beta_(site.output<float>(2)) {
    if (a.uses_y()) y_ = site.input<T>(5);
    if (a.two) d_y2_ = site.input<T>(a.uses_y() ? 6 : 5);
    if (a.forward.residual) d_residual_ = site.output<T>(3);
  }

  int phases() const override { return 4; }
  int tasks(int phase) const override {
    return static_cast<int>(phase % 2 == 0 ? planes_.blocks : planes_.tasks());
  }
  // Scale and shift of each replica [replicas, 2, C'], sums of each image [images, 2, C'],
  // coefficients of each replica [replicas, 3, C'], gradients of each replica [replicas, 2, C'].
  size_t scratch_bytes() const override {
    return float_bytes((7 * replicas_ + 2 * planes_.images) * vector_);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    switch (phase) {
      case 0:
        return make_scales(task, args);
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
    return saved_(args) + replica * 2 * vector_;
  }
  int64_t count(int64_t first) const { return std::min(planes_.block, planes_.channels - first); }

  void make_scales(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    for (int64_t r = 0; r < replicas_; ++r) {
      float* scale = affine(args) + r * 2 * vector_ + first;
      std::fill_n(scale, planes_.block, 0.0f);
      std::fill_n(scale + vector_, planes_.block, 0.0f);
      make_affine(saved(args, r) + first, saved(args, r) + vector_ + first, gamma_(args) + first,
                  beta_(args) + first, count(first), scale, scale + vector_);
    }
  }

  kernels::NormGradPlane<T> plane(const KernelArgs& args, int64_t image, int64_t channel,
                                  int64_t at) const {
    const int64_t r = image / batch_;
    const float* scale = affine(args) + r * 2 * vector_ + channel;
    return {.plane = planes_.plane<T>(),
            .mask = attrs_.mask(),
            .x = x_(args) + at,
            .y = y_ ? y_(args) + at : nullptr,
            .d_y = d_y_(args) + at,
            .d_y2 = d_y2_ ? d_y2_(args) + at : nullptr,
            .mean = saved(args, r) + channel,
            .scale = scale,
            .shift = scale + vector_};
  }

  void sum(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args) + image * 2 * vector_ + channel;
      kernels::norm_grad_sums(plane(args, image, channel, at), mine, mine + vector_,
                              d_residual_ ? d_residual_(args) + at : nullptr);
    });
  }

  // d_x = a g + b (x - mean) + c, where g is the gradient of the norm's output; a, b, c make the
  // sums of d_x and of d_x * (x - mean) over the replica zero. With frozen statistics b = c = 0.
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
        const double scale = static_cast<double>(gamma_(args)[first + k]) * inverse[k];
        a[k] = static_cast<float>(scale);
        if (!attrs_.frozen) {
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
    std::copy_n(leaf, count(first), d_gamma_(args) + first);
    std::copy_n(leaf + vector_, count(first), d_beta_(args) + first);
  }

  void apply(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* a = coefficients(args) + image / batch_ * 3 * vector_ + channel;
      kernels::NormGradPlane<T> p = plane(args, image, channel, at);
      if (d_residual_) {  // the first pass has stored g there
        p.mask = kernels::NormMask::none;
        p.d_y = d_residual_(args) + at;
        p.d_y2 = nullptr;
      }
      kernels::norm_grad_apply(p, a, a + vector_, a + 2 * vector_, d_x_(args) + at);
    });
  }

  BatchNormGradAttrs attrs_;
  NormPlanes planes_;
  int64_t replicas_, batch_, vector_;
  In<T> d_y_, x_, y_, d_y2_;
  In<float> gamma_, beta_, saved_;
  Out<T> d_x_, d_residual_;
  Out<float> d_gamma_, d_beta_;
};

float inverse_deviation(float variance, float epsilon) {
  return static_cast<float>(
      1 / std::sqrt(static_cast<double>(variance) + static_cast<double>(epsilon)));
}

template <class T>
std::unique_ptr<Kernel> eval_kernel(const BatchNormAttrs& a, const KernelSite& site) {
  const NormPlanes planes(site.in[0].shape);
  const int64_t vector = planes.padded_channels();
  const auto x = site.input<T>(0), residual = a.residual ? site.input<T>(5) : In<T>();
  const auto gamma = site.input<float>(1), beta = site.input<float>(2);
  const auto mean = site.input<float>(3), variance = site.input<float>(4);
  const auto y = site.output<T>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(float_bytes(2 * vector));
  kernel->phase(1, [=](int, const KernelArgs& args) {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    std::fill_n(scale, 2 * vector, 0.0f);
    // The same computation as the gradient's with these statistics.
    for (int64_t c = 0; c < planes.channels; ++c) {
      const float inverse = inverse_deviation(variance(args)[c], a.epsilon);
      make_affine(mean(args) + c, &inverse, gamma(args) + c, beta(args) + c, 1, scale + c,
                  scale + vector + c);
    }
  });
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    const auto* scale = reinterpret_cast<const float*>(args.scratch);
    planes.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::norm_apply(planes.plane<T>(), x(args) + at, residual ? residual(args) + at : nullptr,
                          scale + channel, scale + vector + channel, a.act, y(args) + at);
    });
  });
  return kernel;
}

}  // namespace

std::unique_ptr<Kernel> batch_norm_train(const BatchNormAttrs& a, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() -> std::unique_ptr<Kernel> {
    return std::make_unique<TrainKernel<T>>(a, site);
  });
}

std::unique_ptr<Kernel> batch_norm_grad(const BatchNormGradAttrs& a, const KernelSite& site) {
  return by_storage(site.in[1], [&]<class T>() -> std::unique_ptr<Kernel> {
    return std::make_unique<GradKernel<T>>(a, site);
  });
}

std::unique_ptr<Kernel> batch_norm_saved(const BatchNormAttrs& a, const KernelSite& site) {
  const int64_t channels = site.in[0].shape[0], vector = channel_vector(channels);
  const auto running_mean = site.input<float>(0), variance = site.input<float>(1);
  const auto saved = site.output<float>(0);
  return one_phase(a.replicas, [=](int replica, const KernelArgs& args) {
    float* mean = saved(args) + replica * 2 * vector;
    std::fill_n(mean, 2 * vector, 0.0f);
    for (int64_t c = 0; c < channels; ++c) {
      mean[c] = running_mean(args)[c];
      mean[vector + c] = inverse_deviation(variance(args)[c], a.epsilon);
    }
  });
}

std::unique_ptr<Kernel> batch_norm_eval(const BatchNormAttrs& a, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return eval_kernel<T>(a, site); });
}

}  // namespace convoy::ops
