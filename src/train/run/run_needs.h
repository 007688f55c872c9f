// What a run will take of the machine, known before it takes it: memory by kind, disk, time.
#pragma once

#include <cstdint>

#include "base/files/file.h"
#include "train/event.h"
#include "train/machine_speed.h"
#include "train/run/run_setup.h"

namespace convoy {

struct MemoryNeeds {
  int64_t state = 0;      // parameters, gradients, statistics, optimiser, averages
  int64_t workspace = 0;  // activations and scratch; sums over replicas and micro-batches
  int64_t loader = 0;     // batches made ahead, and data held in memory
  int64_t libraries = 0;  // the program itself, and code oneDNN generates
  // What the process will have held at most (VmHWM).
  int64_t peak() const { return state + workspace + loader + libraries; }
};
// Of the setup's plans, or of others for the same run with another batch.
MemoryNeeds memory_needs(const RunSetup& setup, const NetworkPlans& plans);
inline MemoryNeeds memory_needs(const RunSetup& setup) { return memory_needs(setup, setup.plans); }

// --memory, or the smaller of physical memory and the limits of our cgroups.
int64_t memory_limit(const RunConfig& config);

// What the forecast may miss by, 5 % and 64 MiB, stays free.
bool fits(const MemoryNeeds& needs, int64_t limit);

// The largest --batch-size with which the run fits into `limit`; 0: none. Allocates nothing.
int64_t largest_batch(const RunSetup& setup, int64_t limit);

struct DiskNeeds {
  int64_t checkpoint = 0;  // of one
  int64_t weights = 0;     // of one file
  int64_t total = 0;       // of all that are there at once, and the weights
  int64_t free = 0;        // where the run will live
};
DiskNeeds disk_needs(const RunSetup& setup, const fs::path& where);

// Seconds of one optimiser step by a simple model: each node takes as long as its arithmetic or its
// memory traffic, whichever is more, at rates that our kernels reach.
double estimated_step_seconds(const NetworkPlans& plans, const MachineSpeed& machine);

// All of it, for people. Measures the machine on the pool's threads.
Forecast forecast(const RunSetup& setup, const MemoryNeeds& memory, const fs::path& where,
                  ThreadPool& pool);

// Fault::no_space, with the largest batch that would fit. What fits is given back: ask before
// anything is allocated, since what the process holds already counts as the program's.
MemoryNeeds refuse_what_cannot_fit(const RunSetup& setup, const fs::path& where);
// As above for what is known already; `largest`: of the batches, if memory is short.
void refuse_what_cannot_fit(const RunSetup& setup, const fs::path& where, const MemoryNeeds& needs,
                            int64_t largest);

}  // namespace convoy
