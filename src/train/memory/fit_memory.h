// What a run chooses by the memory that there is, and what changes no result: whether replicas run
// together (--replica-mode auto), and what is computed again (--recompute auto).
#pragma once

#include "train/run/run_setup.h"

namespace convoy {

// Sets both in the spec of the run's network. Of `setup` it uses everything but `plans`.
NetworkSpec fit_memory(const RunSetup& setup, NetworkSpec spec);

}  // namespace convoy
