// Where the forward pass of a training plan can be split in two, for people who choose by name. A
// point is the end of a block: little is carried over it.
#pragma once

#include <string>
#include <vector>

#include "compile/plan.h"

namespace convoy {

struct SplitPoint {
  std::string block;    // the scope of its nodes, for example layer1.2
  int64_t carried = 0;  // bytes that later nodes of the forward pass read
  // Of the forward pass before the point, as shares of all of it.
  double flops = 0, activations = 0;
};

// Of a training graph as the plan has it, in order.
std::vector<SplitPoint> split_points(const Graph& graph);

}  // namespace convoy
