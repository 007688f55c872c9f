#include "report/runs/run_scores.h"

#include <cmath>

#include "train/tasks/task.h"

namespace convoy {

const MetricDef* metric_named(std::string_view name) {
  if (name == loss_metric.name) return &loss_metric;
  for (const TaskDef& task : task_catalog()) {
    for (const MetricDef& def : task.metrics) {
      if (def.name == name) return &def;
    }
  }
  return nullptr;
}

namespace {

// The main metric of the task of which `has` knows the main metric; else the loss.
template <class Has>
const MetricDef* main_of(const Has& has) {
  for (const TaskDef& task : task_catalog()) {
    for (const MetricDef& def : task.metrics) {
      if (def.is_main && has(def.name)) return &def;
    }
  }
  return has(loss_metric.name) ? &loss_metric : nullptr;
}

}  // namespace

std::optional<RunScore> main_score(const std::map<std::string, double>& eval) {
  const MetricDef* def =
      main_of([&](std::string_view name) { return eval.contains(std::string(name)); });
  if (!def) return std::nullopt;
  const auto epoch = eval.find("epoch");
  return RunScore{def, eval.at(std::string(def->name)), epoch == eval.end() ? 0 : epoch->second};
}

bool is_better(const RunScore& a, const RunScore& b) {
  if (a.metric != b.metric || std::isnan(a.value)) return false;
  return std::isnan(b.value) || Metric{a.metric, a.value}.is_better_than({b.metric, b.value});
}

std::optional<RunScore> best_score(const fs::path& summary) {
  const EventTable table = read_number_csv(summary);
  const auto column = [&](std::string_view name) -> const std::vector<double>& {
    return table.column("eval_" + std::string(name));
  };
  const MetricDef* def = main_of([&](std::string_view name) { return !column(name).empty(); });
  if (!def) return std::nullopt;
  const std::vector<double>&values = column(def->name), &epochs = table.column("epoch");
  std::optional<RunScore> best;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;  // no evaluation in this epoch
    const RunScore score{def, values[i], i < epochs.size() ? epochs[i] : 0};
    if (!best || is_better(score, *best)) best = score;
  }
  return best;
}

}  // namespace convoy
