// One graph made ready to run alone: planned, with its weights and threads. Where a model's own
// network is wanted, see app/network/inference.h.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "compile/compile.h"
#include "engine/executor.h"

namespace convoy {

// Adds the output `probabilities`, the softmax of `logits`.
void add_probabilities(Graph& graph);

class GraphRun {
 public:
  // `weights` gives the values of a parameter or statistic, as many as it has.
  using Weights = std::function<std::span<const float>(const std::string& name)>;
  // Convolutions are computed directly: two graphs of one network differ as little as can be.
  GraphRun(Graph graph, const Weights& weights, int threads);

  // Every input of the graph gets `data`.
  void run(const float* data);
  // All elements of an output of the last run.
  std::span<const float> output(const std::string& name) const;

 private:
  Plan plan_;
  ThreadPool pool_;
  State state_;
  Workspace workspace_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace convoy
