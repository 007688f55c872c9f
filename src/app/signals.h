// The first SIGTERM, SIGINT, SIGUSR1 or SIGUSR2 (which mpirun and batch systems send on) asks the
// run to end after this step; the second ends it at once.
#pragma once

#include <atomic>

namespace convoy {

// Installs the handlers; the number of the first signal appears in what it gives.
const std::atomic<int>& watch_signals();

}  // namespace convoy
