// What a node meets in its graph: the types around it, what it wants of them and costs by them.
#pragma once

#include "graph/graph.h"
#include "graph/op.h"

namespace convoy {

KernelSite site_of(const Graph& graph, const Node& node);

// What it wants of inputs of these types: its op's `forms`, or what holds without.
FormChoice forms_of(const Node& node, std::span<const TensorType> offered);

// The types of its outputs. Refuses 16-bit inputs that the op does not know, so that no `infer` has
// to; the passes put casts there.
Types infer_types(const Node& node, std::span<const TensorType> in);

struct NodeCost {
  double flops = 0;  // 0 where the op does not say
  double bytes = 0;  // of its inputs and outputs, each once
};
NodeCost cost_of(const Graph& graph, const Node& node);

}  // namespace convoy
