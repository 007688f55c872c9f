// Questions that fusion rules ask about a graph.
#pragma once

#include <algorithm>

#include "graph/graph.h"

namespace convoy::ops {

// Whether a value has one reader, and is no result.
inline bool only_reader(const Graph& graph, Value v) {
  return graph.readers(v).size() == 1 && !graph.is_result(v);
}

// Where a node is in the order.
inline size_t position(const Graph& graph, int id) {
  return static_cast<size_t>(std::find(graph.order.begin(), graph.order.end(), id) -
                             graph.order.begin());
}

}  // namespace convoy::ops
