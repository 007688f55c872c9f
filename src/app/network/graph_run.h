// Runs a bare graph with given weights, for `export --verify`: the graph of an imported ONNX file
// has no model and no task, and the network itself is run in the same way, so that the two differ
// in nothing else. Verbs that use a model's network take InferenceNetwork
// (app/network/inference.h).
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
  // `weights(name)` returns the values of a parameter or statistic, in its full length.
  using Weights = std::function<std::span<const float>(const std::string& name)>;
  // Convolutions use the direct algorithm, so that two graphs of one network differ as little as
  // possible.
  GraphRun(Graph graph, const Weights& weights, int threads);

  // Runs the graph with `data` as every input.
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
