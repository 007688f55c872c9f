// Group norm: normalises each image by itself, over groups of its channels.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

struct GroupNormOptions {
  int64_t groups = 32;
  float epsilon = 1e-5f;
};

// Normalises each image over each of `groups` groups of neighbouring channels (the first c / groups
// channels are the first group). The same in training and evaluation; gamma and beta are [c].
Value group_norm(Builder& b, Value x, Value gamma, Value beta, const GroupNormOptions& options);

// The options with which a group-norm node was built.
GroupNormOptions group_norm_options(const Node& node);

}  // namespace convoy::ops
