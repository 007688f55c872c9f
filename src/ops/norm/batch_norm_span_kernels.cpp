// Sums over the pixels of a replica as in batch norm; the sums of the members are added in a tree.

#include "ops/norm/batch_norm_span_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/elementwise/elementwise_kernel.h"
#include "ops/norm/norm_planes.h"

namespace convoy::ops {
namespace {

// The sum of f(first) … f(first + n - 1) in a balanced tree.
template <class F>
double tree(int64_t first, int64_t n, const F& f) {
  if (n == 1) return f(first);
  const auto left = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)) / 2);
  return tree(first, left, f) + tree(first + left, n - left, f);
}

// The vectors of a group's replicas: mean or sum, then squared deviations or dots.
struct Members {
  const double* all;
  int64_t vector, span;

  double operator()(int64_t member, int64_t which, int64_t c) const {
    return all[(member * 2 + which) * vector + c];
  }
  double sum(int64_t which, int64_t c) const {
    return tree(0, span, [&](int64_t m) { return (*this)(m, which, c); });
  }
};

// `x`: the index of that input. The kernels are templates over the storage type of images.
class SpanKernel : public Kernel {
 public:
  SpanKernel(const SpanNormAttrs& a, const KernelSite& site, int x)
      : attrs_(a),
        planes_(site.in[static_cast<size_t>(x)].shape),
        vector_(planes_.padded_channels()) {}

 protected:
  const BatchNormAttrs& norm() const { return attrs_.norm.forward; }
  double pixels() const { return static_cast<double>(planes_.images * planes_.pixels); }
  int64_t count(int64_t first) const { return std::min(planes_.block, planes_.channels - first); }
  Members members(const double* all) const { return {all, vector_, attrs_.span}; }
  // Adds, over images in order, the sums of an earlier pass over the planes.
  void add_images(const float* sums, int64_t channel, double& one, double& two) const {
    one = two = 0;
    const float* part = sums + channel;
    for (int64_t i = 0; i < planes_.images; ++i, part += 2 * vector_) {
      one += part[0];
      two += part[vector_];
    }
  }
  void affine(int64_t first, const float* mean, const float* inverse, const float* gamma,
              const float* beta, float* scale) const {
    std::fill_n(scale + first, planes_.block, 0.0f);
    std::fill_n(scale + vector_ + first, planes_.block, 0.0f);
    for (int64_t c = first; c < first + count(first); ++c) {
      scale[c] = gamma[c] * inverse[c];
      scale[vector_ + c] = beta[c] - mean[c] * scale[c];
    }
  }

  SpanNormAttrs attrs_;
  NormPlanes planes_;
  int64_t vector_;
};

template <class T>
class SumsKernel final : public SpanKernel {
 public:
  SumsKernel(const SpanNormAttrs& a, const KernelSite& site)
      : SpanKernel(a, site, 0), x_(site.input<T>(0)), sums_(site.output<double>(0)) {}
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? planes_.tasks() : planes_.blocks);
  }
  size_t scratch_bytes() const override { return float_bytes(planes_.images * 2 * vector_); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    // The first pixel, as an estimate of the mean.
    const auto guess = [&](int64_t channel) {
      return x_(args) + channel / planes_.block * planes_.plane_floats();
    };
    if (phase == 0) {
      planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
        float* mine = sums + image * 2 * vector_ + channel;
        kernels::norm_sums(planes_.plane(), x_(args) + at, guess(channel), mine, mine + vector_);
      });
      return;
    }
    const int64_t first = task * planes_.block;
    double* out = sums_(args);
    for (int64_t c = first; c < first + planes_.block; ++c) out[c] = out[vector_ + c] = 0;
    for (int64_t c = first; c < first + count(first); ++c) {
      double sum = 0, square = 0;
      add_images(sums, c, sum, square);
      const double offset = sum / pixels();
      out[c] = widened(guess(first)[c - first]) + offset;
      out[vector_ + c] = std::max(0.0, square - offset * offset * pixels());
    }
  }

 private:
  In<T> x_;
  Out<double> sums_;
};

template <class T>
class ApplyKernel final : public SpanKernel {
 public:
  ApplyKernel(const SpanNormAttrs& a, const KernelSite& site)
      : SpanKernel(a, site, 0),
        x_(site.input<T>(0)),
        gamma_(site.input<float>(1)),
        beta_(site.input<float>(2)),
        given_(site.input<double>(3)),
        y_(site.output<T>(0)),
        saved_(site.output<float>(1)),
        mean_(site.output<float>(2)),
        variance_(site.output<float>(3)) {
    if (norm().residual) residual_ = site.input<T>(5);
  }
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? planes_.blocks : planes_.tasks());
  }
  size_t scratch_bytes() const override { return float_bytes(2 * vector_); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) return combine(task, args, scale);
    planes_.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::norm_apply(planes_.plane(), x_(args) + at,
                          residual_ ? residual_(args) + at : nullptr, scale + channel,
                          scale + vector_ + channel, norm().act, y_(args) + at);
    });
  }

 private:
  void combine(int task, const KernelArgs& args, float* scale) const {
    const int64_t first = task * planes_.block;
    float* mean = saved_(args);
    float* inverse = mean + vector_;
    std::fill_n(mean + first, planes_.block, 0.0f);
    std::fill_n(inverse + first, planes_.block, 0.0f);
    const Members given = members(given_(args));
    const double all = pixels() * static_cast<double>(attrs_.span);
    for (int64_t c = first; c < first + count(first); ++c) {
      const double center = given.sum(0, c) / static_cast<double>(attrs_.span);
      const double between = tree(0, attrs_.span, [&](int64_t m) {
        const double apart = given(m, 0, c) - center;
        return apart * apart;
      });
      const double variance = (given.sum(1, c) + pixels() * between) / all;
      mean[c] = static_cast<float>(center);
      inverse[c] =
          static_cast<float>(1 / std::sqrt(variance + static_cast<double>(norm().epsilon)));
      mean_(args)[c] = mean[c];
      variance_(args)[c] = static_cast<float>(norm().fed(variance, all));
    }
    affine(first, mean, inverse, gamma_(args), beta_(args), scale);
  }

  In<T> x_, residual_;
  In<float> gamma_, beta_;
  In<double> given_;
  Out<T> y_;
  Out<float> saved_, mean_, variance_;
};

// Base of both halves of the gradient. Inputs 0 to 4: d_y, x, gamma, beta, saved.
class SpanGradKernel : public SpanKernel {
 public:
  SpanGradKernel(const SpanNormAttrs& a, const KernelSite& site)
      : SpanKernel(a, site, 1),
        gamma_(site.input<float>(2)),
        beta_(site.input<float>(3)),
        saved_(site.input<float>(4)) {}

 protected:
  const float* mean(const KernelArgs& args) const { return saved_(args); }
  const float* inverse(const KernelArgs& args) const { return saved_(args) + vector_; }
  void affine(int64_t first, const KernelArgs& args, float* scale) const {
    SpanKernel::affine(first, mean(args), inverse(args), gamma_(args), beta_(args), scale);
  }
  template <class T>
  kernels::NormGradPlane<T> plane(const KernelArgs& args, const T* x, const T* d_y,
                                  const float* scale, int64_t channel) const {
    return {.plane = planes_.plane(),
            .mask = attrs_.norm.mask(),
            .x = x,
            .y = nullptr,
            .d_y = d_y,
            .d_y2 = nullptr,
            .mean = mean(args) + channel,
            .scale = scale + channel,
            .shift = scale + vector_ + channel};
  }

  In<float> gamma_, beta_, saved_;
};

template <class T>
class GradSumsKernel final : public SpanGradKernel {
 public:
  GradSumsKernel(const SpanNormAttrs& a, const KernelSite& site)
      : SpanGradKernel(a, site),
        d_y_(site.input<T>(0)),
        x_(site.input<T>(1)),
        sums_(site.output<double>(0)) {
    const bool y = a.norm.uses_y();
    if (y) y_ = site.input<T>(5);
    if (a.norm.two) d_y2_ = site.input<T>(y ? 6 : 5);
    if (norm().residual) arrived_ = site.output<T>(1);
  }
  int phases() const override { return 3; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 1 ? planes_.tasks() : planes_.blocks);
  }
  size_t scratch_bytes() const override { return float_bytes((planes_.images + 1) * 2 * vector_); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    float* sums = scale + 2 * vector_;
    const int64_t first = task * planes_.block;
    if (phase == 0) return affine(first, args, scale);
    if (phase == 1) {
      planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
        kernels::NormGradPlane<T> p = plane(args, x_(args) + at, d_y_(args) + at, scale, channel);
        if (y_) p.y = y_(args) + at;
        if (d_y2_) p.d_y2 = d_y2_(args) + at;
        float* mine = sums + image * 2 * vector_ + channel;
        kernels::norm_grad_sums(p, mine, mine + vector_, arrived_ ? arrived_(args) + at : nullptr);
      });
      return;
    }
    double* out = sums_(args);
    for (int64_t c = first; c < first + planes_.block; ++c) out[c] = out[vector_ + c] = 0;
    for (int64_t c = first; c < first + count(first); ++c) {
      add_images(sums, c, out[c], out[vector_ + c]);
    }
  }

 private:
  In<T> d_y_, x_, y_, d_y2_;
  Out<double> sums_;
  Out<T> arrived_;
};

template <class T>
class GradApplyKernel final : public SpanGradKernel {
 public:
  GradApplyKernel(const SpanNormAttrs& a, const KernelSite& site)
      : SpanGradKernel(a, site),
        d_y_(site.input<T>(0)),
        x_(site.input<T>(1)),
        given_(site.input<double>(5)),
        own_(site.input<double>(6)),
        d_x_(site.output<T>(0)),
        d_gamma_(site.output<float>(1)),
        d_beta_(site.output<float>(2)) {
    if (a.norm.two && !norm().residual) d_y2_ = site.input<T>(8);
  }
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? planes_.blocks : planes_.tasks());
  }
  size_t scratch_bytes() const override { return float_bytes(5 * vector_); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    float* a = scale + 2 * vector_;
    if (phase == 0) return combine(task, args, scale, a);
    planes_.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::NormGradPlane<T> p = plane(args, x_(args) + at, d_y_(args) + at, scale, channel);
      if (norm().residual) {
        p.mask = kernels::NormMask::none;
      } else if (d_y2_) {
        p.d_y2 = d_y2_(args) + at;
      }
      kernels::norm_grad_apply(p, a + channel, a + vector_ + channel, a + 2 * vector_ + channel,
                               d_x_(args) + at);
    });
  }

 private:
  void combine(int task, const KernelArgs& args, float* scale, float* a) const {
    const int64_t first = task * planes_.block;
    affine(first, args, scale);
    float* b = a + vector_;
    float* shift = b + vector_;
    for (float* v : {a, b, shift}) std::fill_n(v + first, planes_.block, 0.0f);
    const Members given = members(given_(args));
    const double* own = own_(args);
    const double all = pixels() * static_cast<double>(attrs_.span);
    for (int64_t c = first; c < first + count(first); ++c) {
      const double over = inverse(args)[c];
      const double slope = static_cast<double>(gamma_(args)[c]) * over;
      a[c] = static_cast<float>(slope);
      b[c] = static_cast<float>(-slope * over * over * given.sum(1, c) / all);
      shift[c] = static_cast<float>(-slope * given.sum(0, c) / all);
      d_gamma_(args)[c] = static_cast<float>(own[vector_ + c] * over);
      d_beta_(args)[c] = static_cast<float>(own[c]);
    }
  }

  In<T> d_y_, x_, d_y2_;
  In<double> given_, own_;
  Out<T> d_x_;
  Out<float> d_gamma_, d_beta_;
};

template <class K>
std::unique_ptr<Kernel> make(const SpanNormAttrs& a, const KernelSite& site) {
  return std::make_unique<K>(a, site);
}

}  // namespace

std::unique_ptr<Kernel> span_sums(const SpanNormAttrs& a, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return make<SumsKernel<T>>(a, site); });
}
std::unique_ptr<Kernel> span_apply(const SpanNormAttrs& a, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return make<ApplyKernel<T>>(a, site); });
}
std::unique_ptr<Kernel> span_grad_sums(const SpanNormAttrs& a, const KernelSite& site) {
  return by_storage(site.in[1], [&]<class T>() { return make<GradSumsKernel<T>>(a, site); });
}
std::unique_ptr<Kernel> span_grad_apply(const SpanNormAttrs& a, const KernelSite& site) {
  return by_storage(site.in[1], [&]<class T>() { return make<GradApplyKernel<T>>(a, site); });
}

}  // namespace convoy::ops
