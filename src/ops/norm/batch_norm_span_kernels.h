// The kernels of batch norm over a group of replicas; the ops are in ops/norm/batch_norm_span.cpp.
// Each replica contributes two vectors over channels, as f64; images are fp32 or bf16, everything
// else is fp32. The completion token (ops/exchange.h) is an input that is not read: it makes the op
// wait for the exchange.
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
// out: as batch_norm_train's, with the statistics of the group
std::unique_ptr<Kernel> span_apply(const SpanNormAttrs& attrs, const KernelSite& site);

// in: as batch_norm_grad's
// out: sums of g and of g * (x - mean), where g is the gradient with respect to the input of the
// activation [, if residual: g, which is also the gradient of the residual]
std::unique_ptr<Kernel> span_grad_sums(const SpanNormAttrs& attrs, const KernelSite& site);

// in: d_y (if residual: g), x, gamma, beta, saved, gathered vectors of the group, this replica's
// vectors, completion token [, second d_y, unless residual]
// out: d_x, from the sums of the group; d_gamma, d_beta, from those of this replica
std::unique_ptr<Kernel> span_grad_apply(const SpanNormAttrs& attrs, const KernelSite& site);

}  // namespace convoy::ops
