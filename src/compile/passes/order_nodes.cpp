// Goes forward and appends each node; one that runs early is inserted behind the last of its
// inputs.

#include <algorithm>

#include "compile/passes/passes.h"

namespace convoy {

void order_nodes(Graph& graph) {
  // The position at which each value is computed.
  std::vector<int> made(static_cast<size_t>(graph.value_count()), -1);
  std::vector<int> order;
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    if (node.op->runs_early) {
      int ready = 0;
      for (const Value v : node.in) ready = std::max(ready, made[static_cast<size_t>(v.id)] + 1);
      order.insert(order.begin() + ready, id);
    } else {
      order.push_back(id);
    }
    for (size_t i = 0; i < order.size(); ++i) {
      for (const Value v : graph.node(order[i]).out)
        made[static_cast<size_t>(v.id)] = static_cast<int>(i);
    }
  }
  graph.order = std::move(order);
}

}  // namespace convoy
