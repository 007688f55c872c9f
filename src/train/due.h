// What is due after a step: a pure function of options and step, so that every rank, and a resumed
// run, finds the same.
#pragma once

#include "data/loading/epoch_plan.h"
#include "train/run/run_config.h"

namespace convoy {

struct Due {
  bool evaluation = false, epoch_end = false;
  bool checkpoint = false;          // by its own interval, or at the end of the run
  bool checkpoint_if_best = false;  // one more when the evaluation was the best so far
};

// `last_step`: with which the run ends.
Due due_after(const RunConfig& config, const EpochPlan& epochs, int64_t step, int64_t last_step);

// Whether a multiple of `every` epochs was completed by that step; of those after the first `first`
// epochs, when `first` is above 0.
bool crosses(const EpochPlan& epochs, int64_t step, double every, double first = 0);

}  // namespace convoy
