// Converts images of bytes to floats by a table, as the network's first op.
#pragma once

#include <memory>
#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

// [c][256]: the network's value of each pixel value. Null: no tables.
using ByteTables = std::shared_ptr<const std::vector<float>>;

// u8 [n, c, h, w] -> floats: each value is looked up in its channel's table. No gradient: images
// are inputs of the network.
Value byte_image(Builder& b, Value image, ByteTables tables);

}  // namespace convoy::ops
