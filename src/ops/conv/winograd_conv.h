// Kernels for 3x3 convolutions of stride 1 by Winograd's filtering (kernels/conv/winograd.h), on
// blocked images. Terms and order of each sum follow from the shape alone.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// `shape.n` is the whole batch; `tile`: 4 or 2. Inputs and outputs as in ops/conv/convolution.cpp:
// x, w -> y; d_y, w -> d_x; x, d_y -> d_w.
std::unique_ptr<Kernel> winograd_forward(const onednn::ConvShape& shape, int64_t tile,
                                         const KernelSite& site, const onednn::ConvTail& tail = {});
std::unique_ptr<Kernel> winograd_grad_input(const onednn::ConvShape& shape, int64_t tile,
                                            const KernelSite& site);
std::unique_ptr<Kernel> winograd_grad_weights(const onednn::ConvShape& shape, int64_t tile,
                                              const KernelSite& site);

}  // namespace convoy::ops
