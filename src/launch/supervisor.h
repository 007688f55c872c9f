// Runs a verb on many processes until it is done: restarts after a lost rank, reports which one was
// lost, and returns the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/job.h"
#include "launch/rank_output.h"

namespace convoy {

struct LaunchJob {
  RankPlacement placement;
  std::vector<std::string> mpirun;  // command line before the program
  std::string program;
  std::vector<std::string> verb;  // with its options
  OutputOptions output;
  int restarts = 0;
  bool verbose = false;    // also print mpirun's output and command lines
  double grace_s = 10;     // from a rank's error to killing the job
  double same_stop_s = 1;  // see JobOptions
  double silence_s = 0;
};

// Returns the job's own exit code; 7 if a rank was killed or stopped or a host could not be
// reached; 130 or 143 if a signal came and nothing was saved.
int supervise(const LaunchJob& job);

// The killed rank according to mpirun's output: "rank 2 (host n17) was killed by signal 9"; empty:
// none.
std::string killed_rank(const std::vector<std::string>& mpirun_said);

}  // namespace convoy
