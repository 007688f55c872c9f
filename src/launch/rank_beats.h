// Whether the ranks of a job still run, by what `convoy launch` hears of them: every rank says so
// every few seconds (rank_process.h). Ranks watch one another too (dist/peer_watch.h), and name one
// that is lost; this is for when none of them can: all are stopped, or mpirun is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/running_clock.h"
#include "launch/topology.h"

namespace convoy {

class RankBeats {
 public:
  // `silence_s`: a rank that was heard once is lost when it says nothing for so long; before that,
  // while hosts are reached and programs start, it has ten times as much. 0: never.
  RankBeats(const RankPlacement& placement, double silence_s);

  void heard(int rank);
  // It has done its work. When all have, mpirun has `silence_s` to end.
  void ended(int rank);

  // Looks at the clock, at least every two seconds. Empty: all is well. Otherwise who is lost, and
  // whether it is stopped, as far as this host can see: `mpirun` and what runs below it.
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
