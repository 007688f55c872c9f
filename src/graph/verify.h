#pragma once

#include "graph/graph.h"

namespace convoy {

// Throws Fault::bug when the graph is not legal: a value read before it is made, types that are
// not what the op infers, a result nobody makes. `after` names the pass that is to blame.
void verify(const Graph& graph, std::string_view after);

}  // namespace convoy
