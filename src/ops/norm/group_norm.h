// Group norm.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

struct GroupNormOptions {
  int64_t groups = 32;
  float epsilon = 1e-5f;
};

// Normalises each image over each group of neighbouring channels (channels 0..c/g-1 are the first
// group). The same in training and evaluation; gamma and beta are [c].
Value group_norm(Builder& b, Value x, Value gamma, Value beta, const GroupNormOptions& options);

// The options with which such a node was built.
GroupNormOptions group_norm_options(const Node& node);

}  // namespace convoy::ops
