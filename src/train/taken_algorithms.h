// Which algorithms the convolutions of a run's plans use.
#pragma once

#include <string>
#include <vector>

#include "train/step/network.h"

namespace convoy {

struct TakenAlgorithm {
  std::string pass, convolution, algorithm;
  std::string decided_by;  // origin of the rule; empty: chosen by cost
  bool has_choice;         // there were several possible algorithms
  int nodes = 0;           // in the plan that has the most
};
// Each pass of each convolution once, in the order of its first execution.
std::vector<TakenAlgorithm> taken_algorithms(const NetworkPlans& plans);

// The choices among several algorithms, as rules; checkpoints record them.
std::vector<std::string> decided_rules(const std::vector<TakenAlgorithm>& taken);

// A line of text for every rule that matches a pass of the plans but did not decide anything.
std::vector<std::string> idle_rules(const NetworkPlans& plans, const Choices& choices);

}  // namespace convoy
