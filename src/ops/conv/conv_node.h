// What the nodes of convolutions have in common: attributes, shapes, and the choice of the forward
// kernel.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "graph/op.h"
#include "ops/conv/convolution.h"
#include "tensor/onednn.h"

namespace convoy::ops {

struct ConvAttrs {
  int64_t stride;
  Padding padding;  // explicit
  int64_t groups;
  Shape x, w;  // of the forward node, for the gradients

  Shape y() const;
};

// Of the node's whole batch. Layouts are those in which the kernels are fast.
onednn::ConvShape conv_shape(const ConvAttrs& attrs, DType stored = DType::f32);

// The type of the result of x and w. Refuses what makes no sense.
TensorType convolved(const ConvAttrs& attrs, const TensorType& x, const TensorType& w);
std::string describe(const ConvAttrs& attrs);
double flops(const ConvAttrs& attrs);

// in: x, w and what `tail` reads (ops/conv/folded/conv_tail.h); out: y
std::unique_ptr<Kernel> convolution_forward(const onednn::ConvShape& shape, const KernelSite& site,
                                            const onednn::ConvTail& tail = {});

extern const OpDef convolution_def;  // for fusion rules

}  // namespace convoy::ops
