// Marks in a plan for what passes between processes. The nodes compute nothing: whoever runs the
// plan sees them between its steps (Executor::after_step) and does the rest.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// Stands where the last of these gradients is complete: bucket number `bucket` can go.
void mark_bucket(Builder& b, int bucket, Values gradients);

// The bucket that a node marks; -1: none.
int marked_bucket(const Node& node);

}  // namespace convoy::ops
