#include "graph/site.h"

namespace convoy {

KernelSite site_of(const Graph& graph, const Node& node) {
  KernelSite site{.in = {}, .out = {}, .replicas = graph.replicas, .choices = graph.choices};
  for (const Value v : node.in) site.in.push_back(graph.type(v));
  for (const Value v : node.out) site.out.push_back(graph.type(v));
  return site;
}

NodeCost cost_of(const Graph& graph, const Node& node) {
  const KernelSite site = site_of(graph, node);
  NodeCost cost;
  if (node.op->flops) cost.flops = node.op->flops(node, site);
  for (const Types* list : {&site.in, &site.out}) {
    for (const TensorType& type : *list) cost.bytes += static_cast<double>(stored_bytes(type));
  }
  return cost;
}

}  // namespace convoy
