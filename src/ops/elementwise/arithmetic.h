// Elementwise sum and product of two values.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

Value add(Builder& b, Value x, Value y);
// Equal shapes, or a gate [n, c, 1, 1] that multiplies an image [n, c, h, w].
Value multiply(Builder& b, Value x, Value gate);

extern const OpDef add_def;  // for fusion rules

}  // namespace convoy::ops
