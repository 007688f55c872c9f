#pragma once

#include <vector>

#include "graph/graph.h"

namespace convoy::ops {

// The nodes the rules look for: ops/norm/batch_norm.cpp.
extern const OpDef batch_norm_train_def, batch_norm_eval_def, batch_norm_grad_def;

std::vector<FusionRule> batch_norm_fusions();

}  // namespace convoy::ops
