// Class weights: multiplies the losses of samples by a weight of their class.
#pragma once

#include <memory>
#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

using ClassWeights = std::shared_ptr<const std::vector<float>>;

// per_sample [n], label s32 [n] -> each loss times the weight of its class.
Value weigh_by_label(Builder& b, Value per_sample, Value label, ClassWeights weights);

}  // namespace convoy::ops
