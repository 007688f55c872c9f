// When each value of the workspace is in use: buffers with the positions in the order between which
// they are needed. A value that a node computes in place has the buffer of its input.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"

namespace convoy {

struct Lifetimes {
  struct Buffer {
    size_t bytes = 0;
    int first = 0, last = 0;  // written and last read at these positions; inclusive
    size_t offset = 0;        // set by plan_memory
  };
  std::vector<Buffer> buffers;
  std::vector<int> of_value;  // the buffer of each value; -1: not in the workspace

  // The bytes in use at each position of the order.
  std::vector<size_t> in_use(size_t positions) const;
  // The most bytes that are in use at once: no plan of this order needs less.
  size_t most_at_once() const;
};

// Buffers are as large as the memory that plans reserve for them.
size_t aligned_bytes(size_t bytes);

Lifetimes find_lifetimes(const Graph& graph);

}  // namespace convoy
