#include "train/stop_rules.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace convoy {
namespace {

constexpr std::string_view of_training = "train-";

// The values of --best-metric: main metrics first, then other metrics, then those of training.
std::vector<std::string> names_of(std::span<const MetricDef> metrics) {
  std::vector<std::string> mains, others, training;
  const std::string loss(loss_metric.name), prefix(of_training);
  for (const MetricDef& def : metrics) {
    if (def.name == loss) continue;
    (def.is_main ? mains : others).emplace_back(def.name);
    if (def.is_main && def.in_training) training.push_back(prefix + mains.back());
  }
  std::vector<std::string> names = mains;
  names.insert(names.end(), others.begin(), others.end());
  names.push_back(loss);
  names.insert(names.end(), training.begin(), training.end());
  names.push_back(prefix + loss);
  return names;
}

}  // namespace

void StopRules::describe(Fields& field, std::span<const MetricDef> metrics) {
  const std::vector<std::string> names = names_of(metrics);
  best_metric = names.front();
  field("best-metric", best_metric,
        "by which the best checkpoint is chosen and --patience counts: of evaluations, or of the "
        "training since the last one",
        one_of(names));
  field("patience", patience,
        "end the run after N evaluations in a row that were not better than the best; 0: never",
        at_least(0), {"early-stopping-patience"});
  field("stop-at", stop_at,
        "end the run once --best-metric of an evaluation is as good as this, in percent for an "
        "accuracy; 0: never",
        at_least(0));
  field(
      "max-hours", max_hours,
      "end after this many hours: the learning-rate schedule is run through faster, so that all of "
      "it fits; the result depends on the machine's speed then. 0: no limit",
      at_least(0));
}

double StopRules::score(std::span<const Metric> evaluation,
                        std::span<const Metric> training) const {
  const bool trains = best_metric.starts_with(of_training);
  const std::string name = best_metric.substr(trains ? of_training.size() : 0);
  const Metric* metric = find_metric(trains ? training : evaluation, name);
  expect(metric, "a metric of the task");
  return metric->def->higher_is_better ? metric->value : -metric->value;
}

bool StopRules::reached(double score) const {
  return stop_at > 0 && score >= (best_metric.ends_with(loss_metric.name) ? -stop_at : stop_at);
}

bool StopRules::counts_training() const {
  return best_metric.starts_with(of_training) && !best_metric.ends_with(loss_metric.name);
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
