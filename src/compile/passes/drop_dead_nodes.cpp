// Goes backwards from the results and keeps the nodes that they need.

#include <algorithm>

#include "compile/passes/passes.h"

namespace convoy {

void drop_dead_nodes(Graph& graph) {
  std::vector<bool> needed(static_cast<size_t>(graph.value_count()), false);
  for (const Value v : graph.results()) needed[static_cast<size_t>(v.id)] = true;
  std::vector<int> kept;
  for (auto id = graph.order.rbegin(); id != graph.order.rend(); ++id) {
    const Node& node = graph.node(*id);
    // Values from outside stay: the caller binds them by name.
    bool alive = node.op->keeps || !node.op->kernel;
    for (const Value v : node.out) alive = alive || needed[static_cast<size_t>(v.id)];
    if (!alive) continue;
    for (const Value v : node.in) needed[static_cast<size_t>(v.id)] = true;
    kept.push_back(*id);
  }
  std::reverse(kept.begin(), kept.end());
  graph.order = std::move(kept);
}

}  // namespace convoy
