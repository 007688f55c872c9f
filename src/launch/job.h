// Runs one mpirun and its ranks from start to end: reads their output, forwards signals, and kills
// what does not end by itself.
#pragma once

#include <string>
#include <vector>

#include "launch/child_process.h"
#include "launch/rank_output.h"

namespace convoy {

struct JobEnd {
  int code = 0;                          // mpirun's exit code; 128 + signal if killed
  int signal = 0;                        // the first that asked us to stop; 0: none
  bool killed = false;                   // by us: after a second signal, or it hung after an error
  std::string lost;                      // the rank that stopped answering, if that is why
  std::vector<std::string> mpirun_said;  // output of mpirun itself
};

struct JobOptions {
  std::vector<std::string> words;  // mpirun, its options, the program and its options
  Environment environment;         // of mpirun
  double grace_s = 10;             // from a rank's error to killing the job
  double same_stop_s = 1;          // signals within this time count as one stop
  double silence_s = 0;            // see RankBeats
};

// Runs the command in a process group of its own. The first SIGTERM, SIGINT, SIGHUP, SIGUSR1 or
// SIGUSR2, sent to us or to mpirun, is passed on as SIGUSR1, which mpirun sends to every rank; a
// further signal to us, more than `same_stop_s` later, kills the job. The job is also killed if
// mpirun still runs `grace_s` after a rank has printed an error (a stopped rank, an unreachable
// host), or if ranks send no more heartbeats. Killing means mpirun and all processes below it on
// this host; daemons on other hosts then end by themselves.
JobEnd run_job(const JobOptions& options, const RankPlacement& placement, RankOutput& output);

}  // namespace convoy
