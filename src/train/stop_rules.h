// Which evaluation is better, and when a run ends before its last epoch: after a number of
// evaluations without improvement, or when its time is up.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/fields.h"
#include "train/event.h"

namespace convoy {

struct StopRules {
  std::string best_metric = "top1";
  int patience = 0;      // evaluations; 0: off
  double max_hours = 0;  // 0: off
  double stop_at = 0;    // of best_metric; 0: off

  // `metrics`: the metrics of the run's task.
  void describe(Fields& field, std::span<const MetricDef> metrics);
  // The score of an evaluation and of the training since the last one; higher is better.
  double score(std::span<const Metric> evaluation, std::span<const Metric> training) const;
  // Whether a score is as good as --stop-at asks.
  bool reached(double score) const;
  // Whether the chosen metric is one of training other than its loss.
  bool counts_training() const;
};

// The time that a run has taken so far, and the time left.
struct Pace {
  double seconds_left = 0;
  double step_seconds = 0;      // mean time of a step
  double boundary_seconds = 0;  // mean time of an evaluation and a checkpoint
  double boundary_steps = 1;    // steps from one evaluation to the next
};

// How many of `steps` further steps fit into the time left, including one evaluation at the end.
int64_t steps_in_time(const Pace& pace, int64_t steps);

}  // namespace convoy
