// Which algorithms the convolutions of a run got, from its plans.
#pragma once

#include <string>
#include <vector>

#include "train/step/network.h"

namespace convoy {

struct TakenAlgorithm {
  std::string pass, convolution, algorithm;
  std::string decided_by;  // where the rule stands; empty: by its cost
  bool has_choice;         // another algorithm could compute it too
  int nodes = 0;           // of the plan that has the most
};
// Each pass of each convolution once, in the order in which they first run.
std::vector<TakenAlgorithm> taken_algorithms(const NetworkPlans& plans);

// Those that had a choice, as rules: what a checkpoint records.
std::vector<std::string> decided_rules(const std::vector<TakenAlgorithm>& taken);

// A line of text for every rule of a pass that the plans have, but that decided nothing.
std::vector<std::string> idle_rules(const NetworkPlans& plans, const Choices& choices);

}  // namespace convoy
