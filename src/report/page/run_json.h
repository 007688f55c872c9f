// Runs as JSON for the scripts of the report and the board.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/runs/find_runs.h"
#include "report/runs/run_curves.h"
#include "report/runs/run_facts.h"

namespace convoy {

// {"series": [{"tag": "train/loss", "x": [steps], "t": [seconds], "y": [values]}, …],
// "epochs_per_step": 0.01}. A series has at most about `most` points (`telling_points`); `t` counts
// from the run's first event. Tags are TensorBoard's: train/loss, val/top1, lr, ….
std::string curves_json(const RunCurves& curves, size_t most);

// One row of a table of runs: name, status, model, dataset, step, score, … Texts are escaped by
// `one_line` and shortened; absent values are null.
nlohmann::ordered_json facts_json(const std::string& name, const RunFacts& run);

}  // namespace convoy
