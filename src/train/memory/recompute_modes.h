// What a run would need with each way to compute activations again, for people to choose from.
#pragma once

#include <vector>

#include "train/machine_speed.h"
#include "train/run/run_needs.h"

namespace convoy {

struct ModeNeeds {
  Recompute mode;
  int64_t activations = 0;  // bytes of the training plan's activations
  int64_t least = 0;        // the most of these that is in use at once
  int64_t peak = 0;         // expected peak of the process
  double again = 0;         // floating-point operations computed again, as a share of the others
  double step_s = 0;        // expected
  bool fits = false;
};

// Of the run's own plans.
ModeNeeds mode_needs(const RunSetup& setup, const MachineSpeed& machine);
// Off, cheap and blocks, for the same run. Makes their plans.
std::vector<ModeNeeds> recompute_modes(const RunSetup& setup, const MachineSpeed& machine);

}  // namespace convoy
