// Detects ranks that no longer run, by the heartbeats that each rank sends to `convoy launch` every
// few seconds (rank_process.h). Ranks also watch each other (dist/peer_watch.h) and report a lost
// rank; this covers the case that none of them can: all ranks, or mpirun, are stopped.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/running_clock.h"
#include "launch/topology.h"

namespace convoy {

class RankBeats {
 public:
  // A rank that was heard once is lost after `silence_s` without a heartbeat. Before its first one,
  // while hosts are reached and programs start, it has ten times as long. 0: never.
  RankBeats(const RankPlacement& placement, double silence_s);

  void heard(int rank);
  // The rank has finished its work. After the last one, mpirun has `silence_s` to exit.
  void ended(int rank);

  // Checks the clock; call it at least every two seconds. Empty: no rank is lost. Otherwise names
  // the lost ranks, and tells whether they are stopped if they run on this host, below `mpirun`.
  std::string lost(pid_t mpirun);

 private:
  struct Rank {
    double heard = 0;
    bool arrived = false, ended = false;
  };
  double limit(const Rank& rank) const { return rank.arrived ? silence_s_ : 10 * silence_s_; }

  RankPlacement placement_;
  double silence_s_;
  RunningClock clock_;
  std::vector<Rank> ranks_;
};

}  // namespace convoy
