// The few ops a pass must be able to write, handed to compile/ by ops/: compile/ names none itself.
#pragma once

#include <vector>

#include "graph/builder.h"

namespace convoy {

struct Vocabulary {
  Value (*sum)(Builder&, Value a, Value b) = nullptr;
  // The same value in memory of its own.
  Value (*copy)(Builder&, Value) = nullptr;
  Value (*reorder)(Builder&, Value, Layout) = nullptr;
  Value (*cast)(Builder&, Value, DType) = nullptr;
  // The gradient a loss starts with: weight * loss_scale / samples of a replica, for each sample.
  Value (*loss_seed)(Builder&, Value per_sample, Value loss_scale, float weight) = nullptr;
  std::vector<FusionRule> fusions;
};

}  // namespace convoy
