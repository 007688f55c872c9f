// Places ranks on hosts, and draws the placement as a table.
#pragma once

#include <string>
#include <vector>

#include "launch/hosts.h"

namespace convoy {

// Ranks are numbered in the order of the hosts: rank 0 is the first rank of the first host.
struct RankPlacement {
  std::vector<LaunchHost> hosts;  // hosts with ranks; slots: their number

  int ranks() const;
  const std::string& host_of(int rank) const;
  // "n1:2,n2:2", as mpirun reads it.
  std::string text() const;
};

// Places `ranks` on `hosts`. With given slots, hosts are filled in their order; otherwise each host
// gets an even share, the first ones one more. `ranks` 0: all slots. More ranks than slots are a
// usage error, unless `oversubscribe` is set: then hosts are filled evenly.
RankPlacement place_ranks(const std::vector<LaunchHost>& hosts, int ranks, bool oversubscribe);

// A table like poprun's: hosts, shared-memory domains, instances and, if given, the replicas of
// each instance.
std::string topology_table(const RankPlacement& placement, const std::vector<int>& replicas);

}  // namespace convoy
