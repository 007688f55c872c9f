// Weight gradients in bf16 of layers with large weights and small images: a task computes a part of
// the output channels for many images, so that few partial sums, or none, go through memory.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether to use it: a function of shape and ISA level.
bool prefers_parts_of_outputs(const onednn::ConvShape& whole_batch);

// Inputs x, d_y; output d_w plain.
std::unique_ptr<Kernel> grad_weights_by_outputs(const onednn::ConvShape& whole_batch,
                                                const KernelSite& site);

}  // namespace convoy::ops
