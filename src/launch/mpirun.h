// The command line of Open MPI's mpirun for a launch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/topology.h"

namespace convoy {

struct MpirunOptions {
  std::string interface;                         // network interfaces, or networks as 10.0.0.0/24
  int ssh_port = 0;                              // 0: ssh's own
  std::string prefix;                            // where Open MPI is on the other hosts
  std::vector<std::string> global, local;        // words for mpirun as they stand
  std::map<std::string, std::string> variables;  // set in every rank
  std::vector<std::string> forwarded;            // names, as they are here
  bool oversubscribe = false;
};

// Words separated by blanks; '...' and "..." hold words together. An open quote is a usage error
// that names the `option`.
std::vector<std::string> shell_words(const std::string& text, const std::string& option);

// What the ranks get of this environment: CONVOY_*, PATH, LD_LIBRARY_PATH.
std::vector<std::string> forwarded_variables(const char* const* environment);

// mpirun itself (CONVOY_MPIRUN, or the one of the PATH) and everything before the ranks' program.
std::vector<std::string> mpirun_words(const RankPlacement& placement, const MpirunOptions& options);

}  // namespace convoy
