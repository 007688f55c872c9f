// `convoy train --verify-resume`: proof on the user's own machine, disk and recipe.
#pragma once

#include "config/command_line.h"
#include "train/run/run_config.h"

namespace convoy {

// Trains, with the options that were typed, once without interruption and once killed `kills` times
// (SIGKILL, and SIGTERM once) and resumed, in folders of their own below --output, and compares
// weights, summary.csv and metrics.jsonl, times aside. 0 when all are equal; otherwise an error
// that names the difference.
int verify_resume(const RunConfig& config, const CommandLine& line, int kills);

}  // namespace convoy
