// What a training graph keeps from its forward pass for its backward pass: when each value is made
// and read, which of them can be made again and at what price, and where the forward pass can be
// cut. A cut is a position of the order over which few bytes are carried on, such as the end of a
// residual block; the nodes between two cuts are a segment.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace convoy {

struct Activations {
  explicit Activations(const Graph& graph);

  struct One {
    size_t bytes = 0;    // 0: no value of the forward pass, or so small that it is always kept
    bool again = false;  // can be made again
    bool cheap = false;  // without a convolution or the like, from values that are kept anyway
    bool alone = false;  // cheap, from values that are not cheap
    int made = -1, last_forward = -1;  // positions
    int first_backward = -1,
        last_backward = -1;  // positions; -1: the backward pass does not read it
    double time = 0;         // to make it again, in bytes of memory traffic
    bool saved() const { return bytes > 0 && last_backward >= 0; }
  };
  std::vector<One> values;  // by value id

  int turn = 0;           // the position of the first node of the backward pass
  std::vector<int> cuts;  // positions of the last nodes of all segments, the last: turn - 1
  std::vector<std::vector<int>>
      carried;                    // of each cut: the values that are made before and read after
  std::vector<int> segment;       // by position; in the backward pass, that of the values read
  std::vector<size_t> gradients;  // by position: bytes that the backward pass has in use

  int segments() const { return static_cast<int>(cuts.size()); }

 private:
  void find_turn(const Graph& graph);
  void find_values(const Graph& graph);
  void find_cheap(const Graph& graph);
  void find_cuts(const Graph& graph);
  void find_segments(const Graph& graph);
  void find_gradients(const Graph& graph);
};

// The name of the block that ends with each segment: the scope of its last node up to the numbers
// behind its name, such as layer1.2 or features.2.1; empty: no block ends there.
std::vector<std::string> blocks_of_segments(const Graph& graph, const Activations& activations);

}  // namespace convoy
