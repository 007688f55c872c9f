// A plan: what runs, in which order, in which memory. It is complete before anything is allocated.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "tensor/kernel.h"

namespace convoy {

// Where parameters and statistics lie in the persistent state: floats, in the order in which the
// backward pass finishes their gradients, each on its own cache lines.
struct StateLayout {
  struct Slot {
    std::string name;
    Shape shape;
    Init init;
    bool decay = true;
    float rate = 1;  // share of the learning rate; 0: frozen. Of a statistic: 0 when it is kept
    float start = 0;
    int64_t offset = 0;  // in floats
    int64_t count = 0;
    bool operator==(const Slot& other) const {
      return name == other.name && shape == other.shape && offset == other.offset;
    }
  };
  std::vector<Slot> params, stats;  // in the order of the graph's lists
  int64_t param_floats = 0, stat_floats = 0;

  bool operator==(const StateLayout&) const = default;
};
StateLayout lay_out_state(const Graph& graph);

// A value's address: an offset into its region, or the number of a plan input.
struct Place {
  const Region* region = &regions::workspace;
  size_t offset = 0;
};

struct PlanOp {
  int node;
  std::unique_ptr<Kernel> kernel;
  std::vector<Place> in, out;
  size_t packed_offset = 0;  // in the packed memory, if the plan keeps it
};

struct Plan {
  Graph graph;
  StateLayout state;
  std::vector<PlanOp> ops;
  std::vector<Place> places;  // by value id
  size_t workspace_bytes = 0;
  // Of each region that is laid out apart: who runs the plan gives this much memory for it.
  std::vector<std::pair<const Region*, size_t>> apart;
  size_t scratch_bytes = 0;         // the largest op's, shared
  size_t worker_scratch_bytes = 0;  // the largest op's, for each thread
  bool packs_once = false;          // packed parameters stay between runs
  size_t packed_bytes = 0;          // of all ops; 0 unless `packs_once`
  double flops = 0;
};

}  // namespace convoy
