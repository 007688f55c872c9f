// One mpirun and the ranks below it, from start to end: reads what they print, passes signals on,
// and ends what does not end by itself.
#pragma once

#include <string>
#include <vector>

#include "launch/rank_output.h"

namespace convoy {

struct JobEnd {
  int code = 0;                          // mpirun's own; 128 + signal where one ended it
  int signal = 0;                        // the first that asked us to stop; 0: none
  bool killed = false;                   // by us: a second signal, or it did not end after an error
  std::vector<std::string> mpirun_said;  // what no rank printed
};

// Runs the words as a process group of their own. The first SIGTERM, SIGINT, SIGUSR1 or SIGUSR2
// becomes mpirun's SIGUSR1, which it hands to every rank; the second kills. When a rank has printed
// an error and mpirun still runs `grace_s` later (a stopped rank, an unreachable host), it is
// killed with everything below it on this host; daemons on the others end with it.
JobEnd run_job(const std::vector<std::string>& words, RankOutput& output, double grace_s);

}  // namespace convoy
