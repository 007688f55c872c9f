// The bias of a convolution: one number per channel.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// x [n, c, h, w] + bias [c]. The fully connected layer has its own: ops/linear.h.
Value add_bias(Builder& b, Value x, Value bias);

extern const OpDef add_bias_def;  // for fusion rules

}  // namespace convoy::ops
