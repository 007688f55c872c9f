// What the ONNX forms of pools share.
#pragma once

#include <vector>

#include "export/onnx_model.h"
#include "ops/pooling.h"

namespace convoy {

inline std::vector<OnnxAttribute> onnx_pool_attributes(const Node& n) {
  const ops::PoolOptions o = ops::pool_options(n);
  const ops::Padding& p = o.padding;
  return {onnx_integers("kernel_shape", {o.size, o.size}),
          onnx_integers("pads", {p.top, p.left, p.bottom, p.right}),
          onnx_integers("strides", {o.stride, o.stride})};
}

}  // namespace convoy
