// Elementwise activations, with their gradients.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

Value relu(Builder& b, Value x);
Value leaky_relu(Builder& b, Value x, float slope);  // slope * x for negative x, slope > 0
Value swish(Builder& b, Value x);                    // x * sigmoid(x)
Value sigmoid(Builder& b, Value x);

extern const OpDef relu_def, swish_def;  // for fusion rules

}  // namespace convoy::ops
