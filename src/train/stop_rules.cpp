#include "train/stop_rules.h"

#include <algorithm>
#include <cmath>

namespace convoy {

void StopRules::describe(Fields& field) {
  field("best-metric", best_metric,
        "by which the best checkpoint is chosen and --patience counts: of evaluations, or of the "
        "training since the last one",
        one_of({"top1", "top5", "loss", "train-top1", "train-loss"}));
  field("patience", patience,
        "end the run after N evaluations in a row that were not better than the best; 0: never",
        at_least(0), {"early-stopping-patience"});
  field(
      "max-hours", max_hours,
      "end after this many hours: the learning-rate schedule is run through faster, so that all of "
      "it fits; the result depends on the machine's speed then. 0: no limit",
      at_least(0));
}

double StopRules::score(const EvalDone& evaluation, double train_loss, double train_top1) const {
  if (best_metric == "top5") return evaluation.top5;
  if (best_metric == "loss") return -evaluation.loss;
  if (best_metric == "train-loss") return -train_loss;
  if (best_metric == "train-top1") return train_top1;
  return evaluation.top1;
}

int64_t steps_in_time(const Pace& pace, int64_t steps) {
  const double left = pace.seconds_left - pace.boundary_seconds;
  const double each =
      pace.step_seconds + pace.boundary_seconds / std::max(pace.boundary_steps, 1.0);
  if (left <= 0) return 0;
  if (each * static_cast<double>(steps) <= left) return steps;
  return static_cast<int64_t>(std::floor(left / each));
}

}  // namespace convoy
