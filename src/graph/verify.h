// Checks that a graph is legal.
#pragma once

#include "graph/graph.h"

namespace convoy {

// Throws Fault::bug if a value is read before it is computed, a type is not the inferred one, or a
// result is computed by no node. `after` names the last pass, for the message.
void verify(const Graph& graph, std::string_view after);

}  // namespace convoy
