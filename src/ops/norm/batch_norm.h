// Batch norm for training and evaluation, per replica.
#pragma once

#include <functional>
#include <string>

#include "graph/builder.h"

namespace convoy::ops {

struct BatchNormOptions {
  float epsilon = 1e-5f;
};

// The parameters and statistics of a batch norm.
struct BatchNormVars {
  Value gamma, beta;     // [c]
  Value mean, variance;  // [c], running statistics
};

// In training: normalises with the statistics of each replica's batch, and updates the running ones
// with the batch's mean and unbiased variance (summed over the replicas of the plan). In
// evaluation: normalises with the running statistics. The builder's `train` decides.
Value batch_norm(Builder& b, Value x, const BatchNormVars& vars,
                 const BatchNormOptions& options = {});

// Freezes statistics, in a training graph before its gradients are added: batch norms for whose
// running mean `keeps` returns true normalise with their running statistics and do not update them.
void keep_statistics(Graph& graph, const std::function<bool(const std::string& mean)>& keeps);

// The options with which a batch-norm node was built.
BatchNormOptions batch_norm_options(const Node& node);

}  // namespace convoy::ops
