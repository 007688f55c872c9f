#pragma once

#include "graph/builder.h"

namespace convoy::ops {

Value relu(Builder& b, Value x);
Value swish(Builder& b, Value x);  // x * sigmoid(x)
Value sigmoid(Builder& b, Value x);

extern const OpDef relu_def;  // fusion rules look for it

}  // namespace convoy::ops
