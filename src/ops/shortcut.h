// The shortcut of CIFAR ResNets without parameters.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// "Option A": every stride-th pixel of x; zero channels are appended up to `channels`.
Value subsample_shortcut(Builder& b, Value x, int64_t channels, int64_t stride);

// The stride of such a node.
int64_t subsample_stride(const Node& node);

}  // namespace convoy::ops
