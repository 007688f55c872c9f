// A plan: which kernels run, in which order, in which memory. It is complete before any memory is
// allocated. It owns graph and kernels.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "tensor/kernel.h"

namespace convoy {

// The layout of parameters and statistics in the persistent state: floats, each aligned to cache
// lines. Offsets of parameters are in the order in which the backward pass completes their
// gradients: the last of the graph first. Offsets of statistics are in the order of the graph.
struct StateLayout {
  struct Slot {
    std::string name;
    Shape shape;
    Init init;
    bool decay = true;
    float rate = 1;  // factor of the learning rate; 0: frozen. Statistic: 0 if it is not updated
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

// The address of a value: an offset in its region, or the index of a plan input.
struct Place {
  const Region* region = &regions::workspace;
  size_t offset = 0;
};

// A plan op: one node with its kernel and the addresses of its inputs and outputs.
struct PlanOp {
  int node;
  std::unique_ptr<Kernel> kernel;
  std::vector<Place> in, out;
  // With `packs_once` in the plan's packed memory; else in the op's scratch, behind the kernel's
  // own.
  size_t packed_offset = 0;
};

struct Plan {
  Graph graph;
  StateLayout state;
  std::vector<PlanOp> ops;
  std::vector<Place> places;  // by value id
  size_t workspace_bytes = 0;
  size_t least_bytes = 0;  // the most that is in use at once: no plan of this order needs less
  // The size of each region of the kind `apart`: the code that runs the plan provides this memory.
  std::vector<std::pair<const Region*, size_t>> apart;
  size_t scratch_bytes = 0;         // the largest of all ops; shared
  size_t worker_scratch_bytes = 0;  // the largest of all ops; for each thread
  bool packs_once = false;          // packed parameters stay between runs
  size_t packed_bytes = 0;          // sum of all ops; 0 unless `packs_once`
  double flops = 0;
  double flops_again = 0;  // of these, what is computed again instead of kept
};

}  // namespace convoy
