// Signals that ask to stop: SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and, unless it was ignored when the
// program began (nohup), SIGHUP.
//
// One stop may arrive as several signals: systemd and Slurm signal every process of a job, and so
// does `convoy launch`. Signals within a second count as one. A later signal kills the process at
// once, except for a rank: mpirun and `convoy launch` may signal a rank again while it saves, and
// use SIGKILL to kill it.
#pragma once

#include <atomic>

namespace convoy {

// For verbs that do not save: SIGHUP, SIGUSR1 and SIGUSR2 end the program like SIGTERM, so a shell
// sees 143 for every stop, or 130 for SIGINT.
void end_as_terminated();

// Installs the handlers; the returned variable holds the number of the first signal. `is_rank`: the
// process was started by mpirun, srun or similar.
const std::atomic<int>& watch_signals(bool is_rank);

}  // namespace convoy
