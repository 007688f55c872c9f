// What --init-from brings into a new run: weights, and the names of their classes.
#pragma once

#include "train/checkpoint/load_weights.h"
#include "train/run/run_setup.h"

namespace convoy {

// The weights file that --init-from refers to: the file itself; the best weights of a run directory
// (the last ones if none were evaluated); or the weights of a checkpoint folder. A run without
// weights is Fault::checkpoint.
fs::path start_file(const fs::path& given);

// The class names in the file; none without --init-from, or if the file has none.
ClassNames start_classes(const RunConfig& config);

// Loads the file. The head keeps its initial values if its number of classes differs, or if the
// file names the same number of other classes.
WeightReport load_start(const RunSetup& setup, State& state);

}  // namespace convoy
