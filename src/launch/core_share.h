// Divides the cores of a host among its ranks. Each rank computes its own share from its number on
// the host, so hosts may differ.
#pragma once

#include <vector>

#include "base/files/file.h"

namespace convoy {

struct CpuPlace {
  int cpu = 0;   // the system's number
  int core = 0;  // first cpu of the same core; hyper-threads stay together
  int node = 0;  // NUMA node
};

// The places of these cpus, sorted by node, core, cpu. A cpu for which the system gives no
// information is a core of its own; all such are in one node. `root` replaces "/" in tests.
std::vector<CpuPlace> cpu_places(const std::vector<int>& cpus, const fs::path& root = "/");

struct ShareRequest {
  int index = 0, count = 1;  // this rank among the ranks of the host
  int usable = 1;            // cores by the cgroup quota, which may be less than all
  int per_rank = 0;          // requested threads; 0: an even share
  bool numa = false;         // no rank spans two nodes unless it gets whole nodes
  bool oversubscribe = false;
};

struct CoreShare {
  int threads = 1;
  std::vector<int> cpus;  // allowed cpus; disjoint between ranks unless oversubscribed
};

// More ranks or threads than cores are a usage error unless `oversubscribe` is set.
CoreShare share_of_cores(const std::vector<CpuPlace>& places, const ShareRequest& request);

}  // namespace convoy
