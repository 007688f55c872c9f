// Numbers about a model, computed from its graph.
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "models/model.h"

namespace convoy {

struct ModelFacts {
  Graph graph;  // evaluates one image
  int64_t trainable = 0, statistics = 0;
  double multiply_adds = 0;
};

// Without `classes` or `image_size` (0): the model's own.
ModelFacts model_facts(const FoundModel& model, int classes, int image_size = 0,
                       const ModelOptions& options = {});

}  // namespace convoy
