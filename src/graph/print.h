// Prints a graph as text, for dumps and tests.
#pragma once

#include <string>

#include "graph/graph.h"

namespace convoy {

// One node per line: `%7 f32[2x8x4x4] blocked = convolution %0 %5 {stride 1}`.
std::string print(const Graph& graph);

}  // namespace convoy
