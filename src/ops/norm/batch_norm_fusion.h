// Fusion rules: batch norm with an addition, an activation, and the sum of two gradients.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace convoy::ops {

// The nodes of the rules, from ops/norm/batch_norm.cpp.
extern const OpDef batch_norm_train_def, batch_norm_eval_def, batch_norm_grad_def;

std::vector<FusionRule> batch_norm_fusions();

}  // namespace convoy::ops
