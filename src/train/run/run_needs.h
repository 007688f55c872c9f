// The resources that a run will need, known before they are taken: memory by kind, disk, time.
#pragma once

#include <cstdint>

#include "base/files/file.h"
#include "train/event.h"
#include "train/machine_speed.h"
#include "train/run/run_setup.h"

namespace convoy {

struct MemoryNeeds {
  int64_t state = 0;      // parameters, gradients, statistics, optimizer state, averages
  int64_t workspace = 0;  // activations and scratch; sums over replicas and micro-batches
  int64_t loader = 0;     // prefetched batches, and data cached in memory
  int64_t libraries = 0;  // the program itself, and oneDNN's generated code
  // The expected peak memory of the process (VmHWM).
  int64_t peak() const { return state + workspace + loader + libraries; }
};
// With the setup's plans, or with other plans for the same run and another batch size.
MemoryNeeds memory_needs(const RunSetup& setup, const NetworkPlans& plans);
inline MemoryNeeds memory_needs(const RunSetup& setup) { return memory_needs(setup, setup.plans); }
// Of forward passes alone: `plans` has no optimizer, and gradients are never touched.
MemoryNeeds inference_needs(const RunSetup& setup, const NetworkPlans& plans);

// --memory, or the smaller of physical memory and the limits of our cgroups.
int64_t memory_limit(const RunConfig& config);

// Whether the needs fit, with a margin of 5 % and 64 MiB for errors of the forecast.
bool fits(const MemoryNeeds& needs, int64_t limit);

// The largest --batch-size with which the run fits into `limit`; 0: none. Allocates no run memory.
int64_t largest_batch(const RunSetup& setup, int64_t limit);

struct DiskNeeds {
  int64_t checkpoint = 0;  // one checkpoint
  int64_t weights = 0;     // one file
  int64_t total = 0;       // the most that exist at once, plus the weights
  int64_t free = 0;        // free space at the run's location
};
DiskNeeds disk_needs(const RunSetup& setup, const fs::path& where);

// Estimates the seconds of an optimizer step by a simple model: each node takes the longer of its
// arithmetic and its memory traffic, at rates that our kernels reach.
double estimated_step_seconds(const NetworkPlans& plans, const MachineSpeed& machine);

// The whole forecast, for people.
Forecast forecast(const RunSetup& setup, const MemoryNeeds& memory, const fs::path& where,
                  const MachineSpeed& machine);

// Raises Fault::no_space with the largest batch that fits; otherwise returns the needs. Call it
// before allocating, since memory already in use is counted as the program's.
MemoryNeeds refuse_what_cannot_fit(const RunSetup& setup, const fs::path& where);
// The same with known needs. `largest`: the largest batch that fits, used if memory is short.
void refuse_what_cannot_fit(const RunSetup& setup, const fs::path& where, const MemoryNeeds& needs,
                            int64_t largest);

}  // namespace convoy
