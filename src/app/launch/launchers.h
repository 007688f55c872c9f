// Detects launchers that do not use MPI. Processes started by one of them do not know of each
// other, and each would train the whole run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy {

// Raises a usage error if the environment shows that such a launcher started several processes; the
// message gives the command that starts them as ranks of one run. Call it if MPI did not start this
// process, or its world has one rank. `environment` returns the value of a variable; null: not set.
using Environment = std::function<const char*(const char*)>;
void refuse_other_launchers(const Environment& environment,
                            const std::vector<std::string>& arguments);

}  // namespace convoy
