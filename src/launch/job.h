// One mpirun and the ranks below it, from start to end: reads what they print, passes signals on,
// and ends what does not end by itself.
#pragma once

#include <string>
#include <vector>

#include "launch/child_process.h"
#include "launch/rank_output.h"

namespace convoy {

struct JobEnd {
  int code = 0;                          // mpirun's own; 128 + signal where one ended it
  int signal = 0;                        // the first that asked us to stop; 0: none
  bool killed = false;                   // by us: a second signal, or it did not end after an error
  std::string lost;                      // killed because of this: who no longer answers
  std::vector<std::string> mpirun_said;  // what no rank printed
};

struct JobOptions {
  std::vector<std::string> words;  // mpirun, its options, the program and its
  Environment environment;         // for mpirun
  double grace_s = 10;             // from a rank's error to the end of all
  double same_stop_s = 1;          // signals so close to the first are the same stop
  double silence_s = 0;            // RankBeats
};

// Runs the words as a process group of their own. The first SIGTERM, SIGINT, SIGHUP, SIGUSR1 or
// SIGUSR2, whether it was sent to us or to mpirun, becomes mpirun's SIGUSR1, which it hands to
// every rank; one that we get later than `same_stop_s` kills. When a rank has printed an error and
// mpirun still runs `grace_s` later (a stopped rank, an unreachable host), or when ranks say
// nothing any more, it is killed with everything below it on this host; daemons on the others end
// with it.
JobEnd run_job(const JobOptions& options, const RankPlacement& placement, RankOutput& output);

}  // namespace convoy
