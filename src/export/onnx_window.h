// The windows of convolutions and pools in ONNX: strides and padding; anything unsupported is
// refused.
#pragma once

#include "export/onnx_call.h"
#include "ops/conv/convolution.h"

namespace convoy {

struct OnnxWindow {
  int64_t stride;
  ops::Padding padding;  // explicit
};
// The window of a node that moves a kh x kw window over images of shape `x`.
OnnxWindow onnx_window(const OnnxCall& call, const Shape& x, int64_t kh, int64_t kw);

}  // namespace convoy
