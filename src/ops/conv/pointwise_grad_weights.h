// The weight gradient of 1x1 convolutions on images in bf16, by our own product
// (kernels/product_bf16.h): it reads both images once and in order, where oneDNN's waits for
// memory.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether to use it: a function of shape and ISA level.
bool prefers_pointwise_grad_weights(const onednn::ConvShape& whole_batch);

// Inputs x, d_y; output d_w plain.
std::unique_ptr<Kernel> pointwise_grad_weights(const onednn::ConvShape& whole_batch,
                                               const KernelSite& site);

}  // namespace convoy::ops
