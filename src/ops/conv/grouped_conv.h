// Our kernels for convolutions in small groups (kernels/conv/grouped.h), where oneDNN's are slow.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether the kernels can compute it: as many outputs as inputs per group, and a vector contains
// whole groups. The layouts of the shape do not matter.
bool fits_grouped(const onednn::ConvShape& shape);

// Whether to use them for a pass: if oneDNN has no kernel in the blocked layout, or a slower one. A
// function of the shape and the ISA level.
bool prefers_grouped(const onednn::ConvShape& shape, onednn::ConvPass pass);

// For blocked images. `apply` is forward (inputs x, w) or the input gradient (inputs d_y, w). The
// tail, of a forward pass, adds no image.
std::unique_ptr<Kernel> grouped_apply(const onednn::ConvShape& whole_batch, onednn::ConvPass pass,
                                      const KernelSite& site, const onednn::ConvTail& tail = {});
// Inputs x, d_y; output d_w plain.
std::unique_ptr<Kernel> grouped_grad_weights(const onednn::ConvShape& whole_batch,
                                             const KernelSite& site);

}  // namespace convoy::ops
