// Which rank runs on which host, and the picture of it.
#pragma once

#include <string>
#include <vector>

#include "launch/hosts.h"

namespace convoy {

// Ranks by host, in the order of the hosts: rank 0 is the first of the first host.
struct RankPlacement {
  std::vector<LaunchHost> hosts;  // those that have ranks; slots: how many

  int ranks() const;
  const std::string& host_of(int rank) const;
  // "n1:2,n2:2", as mpirun reads it.
  std::string text() const;
};

// `ranks` on `hosts`. Where slots are said, hosts are filled in their order; where not, each gets
// its even share, the first ones one more. `ranks` 0: every slot. More ranks than slots are a usage
// error, unless they may `oversubscribe`: then hosts are filled evenly too.
RankPlacement place_ranks(const std::vector<LaunchHost>& hosts, int ranks, bool oversubscribe);

// The table that poprun prints: hosts, domains of shared memory, instances and, where given, how
// many replicas each instance has.
std::string topology_table(const RankPlacement& placement, const std::vector<int>& replicas);

}  // namespace convoy
