#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// Probabilities [n, classes] from logits. For evaluation: it has no gradient (training takes
// softmax_cross_entropy).
Value softmax(Builder& b, Value logits);

}  // namespace convoy::ops
