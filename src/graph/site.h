// What a node meets in its graph: the types around it, and what it costs by them.
#pragma once

#include "graph/graph.h"
#include "graph/op.h"

namespace convoy {

KernelSite site_of(const Graph& graph, const Node& node);

struct NodeCost {
  double flops = 0;  // 0 where the op does not say
  double bytes = 0;  // of its inputs and outputs, each once
};
NodeCost cost_of(const Graph& graph, const Node& node);

}  // namespace convoy
