// Signals that ask to stop: SIGTERM, SIGINT, SIGUSR1, SIGUSR2 and, unless it was ignored when the
// program began (nohup), SIGHUP.
//
// One stop may arrive as several signals: systemd and Slurm signal every process of a job, and so
// does `convoy launch`, which was signalled itself. Within a second they count as one. A later one
// ends the process at once, as if it had none of this; but never a rank, which mpirun or `convoy
// launch` ends by SIGKILL where that is wanted, and which they signal again while it saves.
#pragma once

#include <atomic>

namespace convoy {

// For the verbs that do not save: SIGHUP, SIGUSR1 and SIGUSR2 end the program as SIGTERM does, so
// that what a shell sees of every stop is 143, or 130 for SIGINT.
void end_as_terminated();

// Installs the handlers; the number of the first signal appears in what it gives. `is_rank`:
// mpirun, srun or the like has started this process.
const std::atomic<int>& watch_signals(bool is_rank);

}  // namespace convoy
