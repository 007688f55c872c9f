// Input checks that several ops share, for their `infer`: a wrong input is Fault::usage with the
// name of the op.
#pragma once

#include "base/error.h"
#include "graph/graph.h"

namespace convoy::ops {

// Accepts all float types; the op's `forms` decides which 16-bit floats reach it.
inline void need_floats(const Node& n, std::span<const TensorType> in) {
  for (const TensorType& type : in) {
    if (type.dtype == DType::f32 || is_narrow(type.dtype)) continue;
    raise(Fault::usage, "{} needs floats, not {}", n.op->name, to_string(type));
  }
}

}  // namespace convoy::ops
