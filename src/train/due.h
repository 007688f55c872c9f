// What is due after a step (evaluation, checkpoint, …). It depends only on options and step, so
// every rank and a resumed run get the same answer.
#pragma once

#include "data/loading/epoch_plan.h"
#include "train/run/run_config.h"

namespace convoy {

struct Due {
  bool evaluation = false, epoch_end = false;
  bool checkpoint = false;          // by its own interval, or at the end of the run
  bool checkpoint_if_best = false;  // also after the best evaluation so far
};

// `last_step`: the last step of the run.
Due due_after(const RunConfig& config, const EpochPlan& epochs, int64_t step, int64_t last_step);

// Whether a multiple of `every` epochs was completed by that step. If `first` is above 0, epochs
// are counted after the first `first` ones.
bool crosses(const EpochPlan& epochs, int64_t step, double every, double first = 0);

}  // namespace convoy
