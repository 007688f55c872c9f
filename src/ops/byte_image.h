#pragma once

#include <memory>
#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

// [c][256]: what each value of a pixel is to the network. Null: none.
using ByteTables = std::shared_ptr<const std::vector<float>>;

// Images of bytes, u8 [n, c, h, w], as floats: each value is looked up in its channel's table. No
// gradient: images are what a network starts from.
Value byte_image(Builder& b, Value image, ByteTables tables);

}  // namespace convoy::ops
