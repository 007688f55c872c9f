// Training that goes on from weights of somewhere else: what of the network is frozen, and how fast
// the rest learns.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/text/words.h"
#include "config/fields.h"
#include "graph/graph.h"
#include "models/model.h"

namespace convoy {

enum class KeptStatistics { frozen, all, none };
constexpr std::array<Word<KeptStatistics>, 3> words_of(KeptStatistics) {
  return {{{"frozen", KeptStatistics::frozen},
           {"all", KeptStatistics::all},
           {"none", KeptStatistics::none}}};
}

struct FineTuning {
  std::vector<std::string> freeze, train_only;
  KeptStatistics statistics = KeptStatistics::frozen;
  double layer_decay = 1;

  void describe(Fields& field);
  bool freezes() const { return !freeze.empty() || !train_only.empty(); }

  // Gives every parameter of a graph for training its rate, and lets batch norms keep their
  // statistics, as was asked for. A pattern that fits nothing is a usage error with the nearest
  // name.
  void apply(Graph& graph, const FoundModel& model) const;
};

// The stages of a network, as names of parameters tell them, from the image to the head: `layer1`,
// `features.3`; a norm beside a convolution is part of its stage.
std::vector<std::vector<size_t>> stages_of(const Graph& graph);

}  // namespace convoy
