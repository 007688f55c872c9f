// What is better in a run, and when it ends before the epochs it was given: nothing gets better any
// more, or the time is up.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/fields.h"
#include "train/event.h"

namespace convoy {

struct StopRules {
  std::string best_metric = "top1";
  int patience = 0;      // evaluations; 0: no such rule
  double max_hours = 0;  // 0: no such rule

  // `metrics`: those of the run's task.
  void describe(Fields& field, std::span<const MetricDef> metrics);
  // Of an evaluation and the training since the last one; more is better.
  double score(std::span<const Metric> evaluation, std::span<const Metric> training) const;
  // Whether it is a metric of the training, other than its loss.
  bool counts_training() const;
};

// What a run has taken so far, and how much is left of it.
struct Pace {
  double seconds_left = 0;
  double step_seconds = 0;      // mean of a step
  double boundary_seconds = 0;  // mean of an evaluation with what belongs to it
  double boundary_steps = 1;    // from one to the next
};

// How many of `steps` more steps there is time for, one evaluation at the end included.
int64_t steps_in_time(const Pace& pace, int64_t steps);

}  // namespace convoy
