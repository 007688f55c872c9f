#pragma once

#include "graph/builder.h"

namespace convoy::ops {

Value add(Builder& b, Value x, Value y);
// Same shapes, or a gate [n, c, 1, 1] over an image [n, c, h, w].
Value multiply(Builder& b, Value x, Value gate);

extern const OpDef add_def;  // fusion rules look for it

}  // namespace convoy::ops
