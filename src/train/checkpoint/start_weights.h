// What --init-from brings into a new run: weights, and the names of their classes.
#pragma once

#include "train/checkpoint/load_weights.h"
#include "train/run/run_setup.h"

namespace convoy {

// The weights that --init-from means: the file itself, the best weights of a run directory (the
// last where none were evaluated), or those of a checkpoint folder. A run without weights is
// Fault::checkpoint.
fs::path start_file(const fs::path& given);

// The classes that the file names; none without --init-from, or where it names none.
ClassNames start_classes(const RunConfig& config);

// Loads the file. Its head starts fresh where it is of another number of classes, or where the
// file names as many others.
WeightReport load_start(const RunSetup& setup, State& state);

}  // namespace convoy
