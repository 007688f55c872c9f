// Convolutions by oneDNN on slices of the batch. Images in bf16 are multiplied as they are if the
// CPU has products of bf16; else a thread widens a slice into its scratch, multiplies in fp32 and
// rounds the result once.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether images stored in bf16 are multiplied as bf16: a function of shape, pass and ISA level.
bool multiplies_bf16(const onednn::ConvShape& shape, onednn::ConvPass pass, Isa level);

// Forward (inputs x, w and those of `tail`, see ops/conv/folded/conv_tail.h) or the input gradient
// (inputs d_y, w).
std::unique_ptr<Kernel> direct_apply(const onednn::ConvShape& whole_batch, onednn::ConvPass pass,
                                     const KernelSite& site, const onednn::ConvTail& tail = {});
// Inputs x, d_y; output d_w plain. Each slice has its own partial sum; these are added in a
// balanced tree over the slices of a replica, then over the replicas.
std::unique_ptr<Kernel> direct_grad_weights(const onednn::ConvShape& whole_batch,
                                            const KernelSite& site);

}  // namespace convoy::ops
