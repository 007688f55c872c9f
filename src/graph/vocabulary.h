// The few ops that passes must be able to write. ops/ passes them to compile/, which names no op
// itself.
#pragma once

#include <vector>

#include "graph/builder.h"

namespace convoy {

struct Vocabulary {
  Value (*sum)(Builder&, Value a, Value b) = nullptr;
  // The same value in its own memory.
  Value (*copy)(Builder&, Value) = nullptr;
  Value (*reorder)(Builder&, Value, Layout) = nullptr;
  Value (*cast)(Builder&, Value, DType) = nullptr;
  // The gradient at a loss: weight * loss_scale / samples of a replica, for each sample.
  Value (*loss_seed)(Builder&, Value per_sample, Value loss_scale, float weight) = nullptr;
  std::vector<FusionRule> fusions;
};

}  // namespace convoy
