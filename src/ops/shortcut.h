#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// The parameter-free shortcut of CIFAR ResNets ("option A"): every stride-th pixel of x, channels
// filled up with zeros at the end to `channels`.
Value subsample_shortcut(Builder& b, Value x, int64_t channels, int64_t stride);

// Of such a node.
int64_t subsample_stride(const Node& node);

}  // namespace convoy::ops
