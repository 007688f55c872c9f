// Runs a verb on many processes until it is done: starts again what was lost, says who was, and
// gives the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/job.h"
#include "launch/rank_output.h"

namespace convoy {

struct LaunchJob {
  RankPlacement placement;
  std::vector<std::string> mpirun;  // words before the program
  std::string program;
  std::vector<std::string> verb;  // with its options
  OutputOptions output;
  int restarts = 0;
  bool verbose = false;    // mpirun's own words and command lines too
  double grace_s = 10;     // from a rank's error to the end of all
  double same_stop_s = 1;  // see JobOptions
  double silence_s = 0;
};

// The job's own code; 7 where a rank was killed or stopped or a host not reached; 130 or 143 where
// a signal came and nothing was saved.
int supervise(const LaunchJob& job);

// Who was killed, by what mpirun says: "rank 2 (host n17) was killed by signal 9"; empty: nobody.
std::string killed_rank(const std::vector<std::string>& mpirun_said);

}  // namespace convoy
