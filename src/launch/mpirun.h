// Builds the command line of Open MPI's mpirun for a launch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launch/topology.h"

namespace convoy {

struct MpirunOptions {
  std::string interface;                         // network interfaces, or networks like 10.0.0.0/24
  int ssh_port = 0;                              // 0: ssh's default
  std::string prefix;                            // Open MPI's folder on the other hosts
  std::vector<std::string> global, local;        // words passed to mpirun unchanged
  std::map<std::string, std::string> variables;  // set in every rank
  std::vector<std::string> forwarded;            // names of variables of this environment
  bool oversubscribe = false;
};

// Splits at blanks; '...' and "..." keep words together. An unclosed quote is a usage error that
// names the `option`.
std::vector<std::string> shell_words(const std::string& text, const std::string& option);

// The variables of this environment that ranks get: CONVOY_*, PATH, LD_LIBRARY_PATH.
std::vector<std::string> forwarded_variables(const char* const* environment);

// mpirun itself (CONVOY_MPIRUN, or found in PATH) with all arguments before the ranks' program.
std::vector<std::string> mpirun_words(const RankPlacement& placement, const MpirunOptions& options);

}  // namespace convoy
