// Launchers that are not MPI's. Processes that one of them started do not know of each other, and
// each would train the whole run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy {

// A usage error when the environment says that a launcher started several processes, with the
// command that starts them as ranks of one run. For a process that MPI did not start, or whose
// world is one. `environment` gives a variable's value; null: it is not set.
using Environment = std::function<const char*(const char*)>;
void refuse_other_launchers(const Environment& environment,
                            const std::vector<std::string>& arguments);

}  // namespace convoy
