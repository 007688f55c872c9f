// Conversion between storage types.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// The value in another storage type: f32, bf16 or f16, rounded to nearest even. A value that was
// widened from `to` gives what it was widened from.
Value cast(Builder& b, Value x, DType to);

}  // namespace convoy::ops
