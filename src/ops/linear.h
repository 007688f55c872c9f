// The fully connected layer.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// x [n, in], w [out, in], bias [out] -> x w^T + bias.
Value linear(Builder& b, Value x, Value w, Value bias);

}  // namespace convoy::ops
