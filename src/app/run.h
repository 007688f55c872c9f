// What train and resume share: a run directory, its listeners, and the trainer between them.
#pragma once

#include "train/run_config.h"
#include "train/run_dir.h"

namespace convoy {

// Applies --isa. Must come before anything is computed.
void apply_isa(const RunConfig& config);

// Trains in `dir` until the end, a signal, or trouble; gives the exit code.
int run_training(const RunConfig& config, const RunDir& dir);

// env.json: machine, build and library versions.
void write_environment(const fs::path& path);

}  // namespace convoy
