// Finds a run's main metric among the numbers of its logs.
#pragma once

#include "report/runs/run_facts.h"

namespace convoy {

// The main metric of the task whose numbers these are (of an event `eval`).
std::optional<RunScore> main_score(const std::map<std::string, double>& eval);
// The best of the evaluations in a summary.csv.
std::optional<RunScore> best_score(const fs::path& summary);

// Whether `a` is better than `b`; scores of different metrics do not compare.
bool is_better(const RunScore& a, const RunScore& b);

// A metric of any task by its name; null: no task has it.
const MetricDef* metric_named(std::string_view name);

}  // namespace convoy
