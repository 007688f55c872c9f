#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// While training: sets each element to zero with probability `rate` and scales the rest by
// 1 / (1 - rate). What falls out depends on the sample's key (s64 [n], an input of the plan) and on
// `site`, a number that tells this dropout from the others of the model. In evaluation: x itself.
Value dropout(Builder& b, Value x, Value key, float rate, uint64_t site);

// The same for whole samples ("stochastic depth", "drop-connect"): a residual branch is left out
// for some samples of the batch.
Value drop_path(Builder& b, Value x, Value key, float rate, uint64_t site);

}  // namespace convoy::ops
