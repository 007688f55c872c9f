// Batch norm for training and evaluation. In training each replica has its own statistics.
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
  Value gamma, beta;     // [c], scale and shift after the normalisation
  Value mean, variance;  // [c], running statistics
};

// In training (`Builder::train`): normalises each replica's images with their mean and variance.
// Registers mean and unbiased variance, summed over the replicas of the plan, as the batch
// statistics from which another plan updates the running ones after the step (`Builder::feed`). In
// evaluation: normalises with the running statistics.
Value batch_norm(Builder& b, Value x, const BatchNormVars& vars,
                 const BatchNormOptions& options = {});

// Freezes statistics in a training graph, before its gradients are added. A batch norm for which
// `freezes`, called with the name of its running mean, returns true normalises with its running
// statistics and does not update them.
void freeze_statistics(Graph& graph, const std::function<bool(const std::string& mean)>& freezes);

// In a training graph, before its gradients are added: the running variances are updated with the
// biased variance of the batch, not the unbiased one.
void feed_biased_variances(Graph& graph);

// The options with which a batch-norm node was built.
BatchNormOptions batch_norm_options(const Node& node);

}  // namespace convoy::ops
