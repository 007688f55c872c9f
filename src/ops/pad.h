// Padding of images with zeros.
#pragma once

#include "ops/conv/convolution.h"

namespace convoy::ops {

// Zeros around the image. Convolutions pad by themselves; this is for pools that must see zeros.
Value pad(Builder& b, Value x, const Padding& padding);

// The padding of such a node.
Padding pad_padding(const Node& node);

}  // namespace convoy::ops
