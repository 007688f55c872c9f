// Options for training that starts from given weights: which parameters are frozen, and how fast
// the others learn.
#pragma once

#include <string>
#include <vector>

#include "base/text/words.h"
#include "config/fields.h"
#include "graph/graph.h"
#include "models/model.h"

namespace convoy {

enum class KeptStatistics { frozen, all, none };
constexpr auto words_of(KeptStatistics) { return words<KeptStatistics>("frozen", "all", "none"); }

struct FineTuning {
  std::vector<std::string> freeze, train_only;
  KeptStatistics statistics = KeptStatistics::frozen;
  double layer_decay = 1;

  void describe(Fields& field);
  bool freezes() const { return !freeze.empty() || !train_only.empty(); }

  // Sets the learning-rate factor of every parameter of a training graph, and freezes batch-norm
  // statistics if requested. A pattern that matches nothing is a usage error that suggests the
  // nearest name.
  void apply(Graph& graph, const FoundModel& model, const ModelOptions& options = {}) const;
};

// The parameters of each stage of a network (`layer1`, `features.3`), from the image to the head,
// derived from their names. A norm belongs to the stage of its convolution.
std::vector<std::vector<size_t>> stages_of(const Graph& graph);

}  // namespace convoy
