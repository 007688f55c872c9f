#pragma once

#include "ops/conv/convolution.h"

namespace convoy::ops {

// Zeros around the image. Convolutions pad by themselves; this is for a pool that must see zeros.
Value pad(Builder& b, Value x, const Padding& padding);

// Of such a node.
Padding pad_padding(const Node& node);

}  // namespace convoy::ops
