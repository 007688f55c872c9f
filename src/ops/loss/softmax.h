// Softmax, for evaluation.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// logits -> probabilities [n, classes]. Has no gradient: training uses softmax_cross_entropy.
Value softmax(Builder& b, Value logits);

}  // namespace convoy::ops
