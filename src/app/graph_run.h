// One graph made ready to run alone: planned, with its weights and threads. Where a model's own
// network is wanted, see app/inference.h.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "compile/compile.h"
#include "engine/executor.h"
#include "models/model.h"

namespace convoy {

// What a model is in evaluation, without a loss: the input `image` [batch, c, h, w] to the output
// `logits`, and where asked for `probabilities`.
Graph logits_graph(const Variant& model, const ModelOptions& options, int classes, int64_t batch,
                   const Shape& image, bool probabilities = false);

class GraphRun {
 public:
  // `weights` gives the values of a parameter or statistic, as many as it has.
  using Weights = std::function<std::span<const float>(const std::string& name)>;
  // Convolutions are computed directly: two graphs of one network differ as little as can be.
  GraphRun(Graph graph, const Weights& weights, int threads);

  // All elements of the output, valid until the next run. Every input of the graph gets `data`.
  std::span<const float> run(const float* data, const std::string& output);

 private:
  Plan plan_;
  ThreadPool pool_;
  State state_;
  Workspace workspace_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace convoy
