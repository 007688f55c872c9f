// What most options of Graphcore's CNN training depend on.
#pragma once

#include <algorithm>

#include "dialects/graphcore_plan.h"

namespace convoy {

inline constexpr int64_t imagenet_images = 1281167, cifar_images = 50000;

// What most options depend on.
struct GraphcoreRun : GraphcoreCase {
  GraphcoreDefaults usual;
  int64_t images = imagenet_images;
  int64_t batch = 1, replicas = 1, accumulation = 1;
  bool by_steps = false;  // --iterations

  int64_t global_batch() const { return batch * replicas * accumulation; }
  // Iterations of an epoch, as there: whole ones.
  int64_t epoch_steps() const { return std::max<int64_t>(1, images / global_batch()); }
};

// Optimiser, weight decay, and the learning rate over time.
void plan_graphcore_update(DialectPlan& plan, const GraphcoreRun& which);

}  // namespace convoy
