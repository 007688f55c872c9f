// Dropout of elements, and of whole samples. The mask is a function of the sample's key.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// In training: sets each element to zero with probability `rate` and multiplies the rest by 1 / (1
// - rate). The mask depends on the sample's key (s64 [n], an input of the plan) and on `site`, a
// number that distinguishes the dropouts of a model. In evaluation: x itself.
Value dropout(Builder& b, Value x, Value key, float rate, uint64_t site);

// The same for whole samples ("stochastic depth", "drop-connect"): skips a residual branch for some
// samples of the batch.
Value drop_path(Builder& b, Value x, Value key, float rate, uint64_t site);

}  // namespace convoy::ops
