// Refusals that several ops share.
#pragma once

#include "base/error.h"
#include "graph/graph.h"

namespace convoy::ops {

// Kernels read floats: a 16-bit value must be cast first.
inline void need_f32(const Node& n, std::span<const TensorType> in) {
  for (const TensorType& type : in) {
    if (type.dtype == DType::f32) continue;
    raise(Fault::usage, "{} needs f32 inputs, not {}; try: a cast before it", n.op->name,
          to_string(type));
  }
}

}  // namespace convoy::ops
