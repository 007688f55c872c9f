#pragma once

#include <functional>
#include <string>

#include "graph/builder.h"

namespace convoy::ops {

struct BatchNormOptions {
  float epsilon = 1e-5f;
};

// What a batch norm owns.
struct BatchNormVars {
  Value gamma, beta;     // [c]
  Value mean, variance;  // [c], running statistics
};

// While training: normalises with the statistics of each replica's batch, and feeds the running
// ones with the batch's mean and unbiased variance (summed over the replicas of the plan). In
// evaluation: normalises with the running statistics. Which of the two is the builder's `train`.
Value batch_norm(Builder& b, Value x, const BatchNormVars& vars,
                 const BatchNormOptions& options = {});

// In a graph for training, before its gradients are added: batch norms whose running mean is one of
// those that `keeps` names normalise with their running statistics and leave them as they are.
void keep_statistics(Graph& graph, const std::function<bool(const std::string& mean)>& keeps);

// With what a batch-norm node was built.
BatchNormOptions batch_norm_options(const Node& node);

}  // namespace convoy::ops
