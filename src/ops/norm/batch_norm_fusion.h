// Fusion rules: batch norm with an addition or an activation after it; its gradient with the sum of
// two gradients before it.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace convoy::ops {

// The ops that the rules match and build; defined in ops/norm/batch_norm.cpp.
extern const OpDef batch_norm_train_def, batch_norm_eval_def, batch_norm_grad_def;

std::vector<FusionRule> batch_norm_fusions();

}  // namespace convoy::ops
