// Reshape and concatenation: copies without arithmetic.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// The same elements in the same (plain) order with another shape; the first dimension must stay.
Value reshape(Builder& b, Value x, const Shape& shape);

// Concatenates along the channels (dimension 1).
Value concat(Builder& b, const Values& parts);

}  // namespace convoy::ops
