#pragma once

#include <memory>
#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

using ClassWeights = std::shared_ptr<const std::vector<float>>;

// Losses [n] of samples with the labels s32 [n]: each multiplied by the weight of its class.
Value weigh_by_label(Builder& b, Value per_sample, Value label, ClassWeights weights);

}  // namespace convoy::ops
