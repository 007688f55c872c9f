#include "compile/split_points.h"

#include <algorithm>

#include "compile/passes/activations.h"
#include "graph/site.h"

namespace convoy {

std::vector<SplitPoint> split_points(const Graph& graph) {
  const Activations all(graph);
  const std::vector<std::string> names = blocks_of_segments(graph, all);
  std::vector<SplitPoint> points;
  SplitPoint sum;
  int at = 0;
  for (int s = 0; s < all.segments(); ++s) {
    for (; at <= all.cuts[static_cast<size_t>(s)]; ++at) {
      const Node& node = graph.node(graph.order[static_cast<size_t>(at)]);
      if (node.op->kernel) sum.flops += cost_of(graph, node).flops;
      for (const Value v : node.out) {
        const Activations::One& one = all.values[static_cast<size_t>(v.id)];
        if (one.saved()) sum.activations += static_cast<double>(one.bytes);
      }
    }
    sum.block = names[static_cast<size_t>(s)];
    sum.carried = 0;
    for (const int id : all.carried[static_cast<size_t>(s)]) {
      sum.carried += static_cast<int64_t>(all.values[static_cast<size_t>(id)].bytes);
    }
    points.push_back(sum);
  }
  points.pop_back();  // the end of the forward pass
  for (SplitPoint& point : points) {
    point.flops /= std::max(sum.flops, 1.0);
    point.activations /= std::max(sum.activations, 1.0);
  }
  std::erase_if(points, [](const SplitPoint& point) { return point.block.empty(); });
  return points;
}

}  // namespace convoy
