// What runs batch norm over the replicas of a group: see ops/norm/batch_norm_span.cpp for the
// nodes. What a replica gives are two vectors over channels, as f64; all images are fp32.
#pragma once

#include "ops/norm/batch_norm_kernels.h"

namespace convoy::ops {

struct SpanNormAttrs {
  BatchNormGradAttrs norm;
  int64_t span = 1;
};

// in: x; out: means and squares
std::unique_ptr<Kernel> span_sums(const SpanNormAttrs& attrs, const KernelSite& site);

// in: x, gamma, beta, what the members gave, that they have [, residual]
// out: as batch_norm's
std::unique_ptr<Kernel> span_apply(const SpanNormAttrs& attrs, const KernelSite& site);

// in: as batch_norm_grad's; out: sums and dots [, what arrived behind the activation]
std::unique_ptr<Kernel> span_grad_sums(const SpanNormAttrs& attrs, const KernelSite& site);

// in: d_y or what arrived, x, gamma, beta, saved, what the members gave, what this replica gave,
// that they have [, second d_y]; out: d_x, d_gamma, d_beta
std::unique_ptr<Kernel> span_grad_apply(const SpanNormAttrs& attrs, const KernelSite& site);

}  // namespace convoy::ops
