// The kernels of batch norm over a group of replicas; the nodes are in
// ops/norm/batch_norm_span.cpp. Each replica contributes two vectors over channels, as f64; all
// images are fp32.
#pragma once

#include "ops/norm/batch_norm_kernels.h"

namespace convoy::ops {

struct SpanNormAttrs {
  BatchNormGradAttrs norm;
  int64_t span = 1;
};

// in: x; out: means and sums of squared deviations
std::unique_ptr<Kernel> span_sums(const SpanNormAttrs& attrs, const KernelSite& site);

// in: x, gamma, beta, gathered vectors of the group, completion token [, residual]
// out: as batch_norm's
std::unique_ptr<Kernel> span_apply(const SpanNormAttrs& attrs, const KernelSite& site);

// in: as batch_norm_grad's; out: sums and dots [, the gradient of the norm's output]
std::unique_ptr<Kernel> span_grad_sums(const SpanNormAttrs& attrs, const KernelSite& site);

// in: d_y or the gradient of the norm's output, x, gamma, beta, saved, gathered vectors of the
// group, this replica's vectors, completion token [, second d_y]; out: d_x, d_gamma, d_beta
std::unique_ptr<Kernel> span_grad_apply(const SpanNormAttrs& attrs, const KernelSite& site);

}  // namespace convoy::ops
