// The kernels of batch norm; the ops are in ops/norm/batch_norm.cpp. The 4-dimensional values of a
// node (x, y, residual and their gradients) are all fp32 or all bf16; everything else is fp32. C'
// is the padded number of channels (`channel_vector`).
#pragma once

#include <algorithm>
#include <memory>

#include "graph/op.h"
#include "kernels/norm.h"

namespace convoy::ops {

struct BatchNormAttrs {
  float epsilon;
  kernels::NormAct act = kernels::NormAct::none;
  bool residual = false;  // adds an image before the activation
  int64_t replicas = 1;
  bool biased = false;  // the variance that moves the running one is not corrected

  // The variance of `count` numbers for the running statistics.
  double fed(double variance, double count) const {
    return biased ? variance : variance * count / std::max(1.0, count - 1);
  }
};

struct BatchNormGradAttrs {
  BatchNormAttrs forward;
  bool two = false;     // a second d_y, which is added to the first
  bool frozen = false;  // normalised with running statistics, which do not depend on x
  // Where ReLU was active follows from x, but with a residual only from y.
  bool uses_y() const { return forward.residual && forward.act == kernels::NormAct::relu; }
  kernels::NormMask mask() const {
    if (forward.act == kernels::NormAct::none) return kernels::NormMask::none;
    if (forward.act == kernels::NormAct::swish) return kernels::NormMask::swish;
    return uses_y() ? kernels::NormMask::output : kernels::NormMask::recompute;
  }
};

// in: x, gamma, beta [, residual]
// out: y, saved [replicas, 2, C'] (mean, 1 / deviation), and summed over the replicas: mean [c],
// variance [c], unbiased unless `biased`
std::unique_ptr<Kernel> batch_norm_train(const BatchNormAttrs& attrs, const KernelSite& site);

// in: d_y, x, gamma, beta, saved [, y if residual and relu] [, second d_y]
// out: d_x, d_gamma, d_beta [, d_residual]
std::unique_ptr<Kernel> batch_norm_grad(const BatchNormGradAttrs& attrs, const KernelSite& site);

// in: running mean, running variance; out: `saved` as above, made of these, the same for each
// replica
std::unique_ptr<Kernel> batch_norm_saved(const BatchNormAttrs& attrs, const KernelSite& site);

// in: x, gamma, beta, running mean, running variance [, residual]; out: y
std::unique_ptr<Kernel> batch_norm_eval(const BatchNormAttrs& attrs, const KernelSite& site);

}  // namespace convoy::ops
