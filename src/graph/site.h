// Facts about a node in its graph: the types around it, the forms it wants, and its cost.
#pragma once

#include "graph/graph.h"
#include "graph/op.h"

namespace convoy {

KernelSite site_of(const Graph& graph, const Node& node);

// The forms it wants for inputs of these types: from its op's `forms`, else the default.
FormChoice forms_of(const Node& node, std::span<const TensorType> offered);

// The types of its outputs. Refuses 16-bit inputs that the op does not support, so that no `infer`
// has to check; the passes insert casts for them.
Types infer_types(const Node& node, std::span<const TensorType> in);

struct NodeCost {
  double flops = 0;  // 0 if the op has no `flops`
  double bytes = 0;  // of its inputs and outputs, each counted once; 0 of a collective's mark
};
NodeCost cost_of(const Graph& graph, const Node& node);

// For people: the shape of its first input, or of its output if it has none, and its own words.
std::string shape_text(const Graph& graph, const Node& node);

}  // namespace convoy
