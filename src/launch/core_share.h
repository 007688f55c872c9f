// The cores of a host divided between the ranks on it. Every rank computes its own share from its
// number on the host, so that hosts may differ.
#pragma once

#include <vector>

#include "base/files/file.h"

namespace convoy {

struct CpuPlace {
  int cpu = 0;   // as the system numbers it
  int core = 0;  // the first cpu of the same core: hyper-threads stay together
  int node = 0;  // NUMA
};

// Where each of these is, in the order node, core, cpu. What the system does not say is one core
// each, all in one node. `root` stands for "/" in tests.
std::vector<CpuPlace> cpu_places(const std::vector<int>& cpus, const fs::path& root = "/");

struct ShareRequest {
  int index = 0, count = 1;  // this rank among those of the host
  int usable = 1;            // cores' worth of time there is: a cgroup may grant less than all
  int per_rank = 0;          // threads asked for; 0: an even share
  bool numa = false;         // no rank on two nodes, unless it gets whole nodes
  bool oversubscribe = false;
};

struct CoreShare {
  int threads = 1;
  std::vector<int> cpus;  // where they may run; ranks have none in common unless oversubscribed
};

// More ranks or threads than cores are a usage error, unless they may `oversubscribe`.
CoreShare share_of_cores(const std::vector<CpuPlace>& places, const ShareRequest& request);

}  // namespace convoy
