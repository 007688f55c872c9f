// Tries each rule at each node, in the order of the graph, until a whole round changes nothing.

#include "compile/passes/passes.h"

namespace convoy {

void fuse(Graph& graph, const std::vector<FusionRule>& rules, FusionRule::Stage stage) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const FusionRule& rule : rules) {
      if (rule.stage != stage) continue;
      const std::vector<int> order = graph.order;  // a copy, because rules change the order
      for (const int id : order) {
        changed = rule.apply(graph, graph.node(id)) || changed;
      }
    }
    // A node that a rule left without readers must not match again.
    drop_dead_nodes(graph);
  }
}

}  // namespace convoy
