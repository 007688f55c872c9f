// How many processes a command of another stack has, and on which hosts.
#pragma once

#include <functional>
#include <string>

namespace convoy {

// The environment, or a stand-in for it: the value of a variable, null if it is not set.
using DialectEnvironment = std::function<const char*(const char* name)>;

struct DialectProcesses {
  int ranks = 1, hosts = 1, per_host = 1;
  int rank = 0;
  std::string from;  // "mpirun", "torchrun": another launcher has started them; empty: nothing has
};

// What mpirun (OMPI_COMM_WORLD_SIZE …) or torchrun (WORLD_SIZE …) says about this process. A number
// that is none is a usage error.
DialectProcesses started_processes(const DialectEnvironment& environment);

}  // namespace convoy
