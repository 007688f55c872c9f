// Our kernel for the weight gradient of convolutions with one or two input channels.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether oneDNN lacks a fast weight gradient for this shape (plain x, blocked y).
bool has_few_channels(const onednn::ConvShape& whole_batch);

// Inputs x, d_y; output d_w plain. See kernels/conv/few_channels.h.
std::unique_ptr<Kernel> few_channels_grad_weights(const onednn::ConvShape& whole_batch,
                                                  const KernelSite& site);

}  // namespace convoy::ops
