// A process with all processes that it started, found in /proc.
#pragma once

#include <sys/types.h>

#include <vector>

namespace convoy {

// The process itself, then its children, their children, and so on.
std::vector<pid_t> process_tree(pid_t root);

// Kills all of them with SIGKILL. All are stopped first, so that none starts another meanwhile.
void kill_tree(pid_t root);

// Whether the process is stopped (SIGSTOP or similar).
bool is_stopped(pid_t pid);
// The process's MPI rank according to its environment; -1: unknown.
int rank_of_process(pid_t pid);

}  // namespace convoy
