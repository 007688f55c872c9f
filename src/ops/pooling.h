// Max, average and global average pooling of images [n, c, h, w].
#pragma once

#include "ops/conv/convolution.h"

namespace convoy::ops {

struct PoolOptions {
  int64_t size = 2;
  int64_t stride = 2;
  Padding padding = {};
  // Average only: pixels outside the image count as zeros, as in PyTorch.
  bool count_padding = true;
};

Value max_pool(Builder& b, Value x, const PoolOptions& options);
Value avg_pool(Builder& b, Value x, const PoolOptions& options);
// The options with which a max_pool or avg_pool node was built; the padding is explicit.
PoolOptions pool_options(const Node& node);

// [n, c, h, w] -> [n, c]
Value global_avg_pool(Builder& b, Value x);

}  // namespace convoy::ops
