// Looks at the step schedules of all ranks on paper, before anything runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/step/step_schedule.h"

namespace convoy {

struct ScheduleCheck {
  // What is wrong, in words that name rank and action; empty: each rank does things in an order
  // that makes sense, begins and ends the same exchanges as the others in the same order, and no
  // rank waits for ever.
  std::vector<std::string> faults;
  // By rank: the most micro-batches at once that are between the begin of their forward and the end
  // of their backward pass.
  std::vector<int> peak_live;
};

// By rank.
ScheduleCheck check_schedules(std::span<const StepSchedule> ranks);

}  // namespace convoy
