// Verifies the step schedules of all ranks together, without running anything.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/step/step_schedule.h"

namespace convoy {

struct ScheduleCheck {
  // Errors, each naming rank and action. Empty: on each rank every action comes after the ones it
  // depends on, all ranks begin and end the same exchanges in the same order, and there is no
  // deadlock.
  std::vector<std::string> faults;
  // By rank: the most micro-batches that run at the same time.
  std::vector<int> peak_live;
};

// `ranks`: the schedule of each rank.
ScheduleCheck check_schedules(std::span<const StepSchedule> ranks);

}  // namespace convoy
