// A process and all it started.
#pragma once

#include <sys/types.h>

#include <vector>

namespace convoy {

// Itself first, then children, theirs, and so on, by /proc.
std::vector<pid_t> process_tree(pid_t root);

// SIGKILL for all of them: all are stopped first, so that none starts another meanwhile.
void kill_tree(pid_t root);

// Whether SIGSTOP or the like holds it.
bool is_stopped(pid_t pid);
// Which rank of an MPI job it is, by its environment; -1: none that can be seen.
int rank_of_process(pid_t pid);

}  // namespace convoy
