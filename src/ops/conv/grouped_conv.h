// Our own convolutions in small groups (kernels/conv/grouped.h), where oneDNN has only slow ones.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether they can compute it at all: as many outputs as inputs in a group, whole groups in a
// vector. The layouts of the shape do not matter.
bool fits_grouped(const onednn::ConvShape& shape);

// Whether a pass should be computed so: what oneDNN has no kernel for in the blocked layout, and
// where ours is faster. A function of the shape and the ISA level.
bool prefers_grouped(const onednn::ConvShape& shape, onednn::ConvPass pass);

// Blocked images. `apply` is forward (inputs x, w) or the input gradient (inputs d_y, w).
std::unique_ptr<Kernel> grouped_apply(const onednn::ConvShape& whole_batch, onednn::ConvPass pass,
                                      const KernelSite& site);
// Inputs x, d_y; output d_w plain.
std::unique_ptr<Kernel> grouped_grad_weights(const onednn::ConvShape& whole_batch,
                                             const KernelSite& site);

}  // namespace convoy::ops
