// A process and all it started.
#pragma once

#include <sys/types.h>

#include <vector>

namespace convoy {

// Itself first, then children, theirs, and so on, by /proc.
std::vector<pid_t> process_tree(pid_t root);

// SIGKILL for all of them: all are stopped first, so that none starts another meanwhile.
void kill_tree(pid_t root);

}  // namespace convoy
