// `convoy train --verify-resume`: verifies resuming on the user's machine, disk and recipe.
#pragma once

#include "config/command_line.h"
#include "train/run/run_config.h"

namespace convoy {

// Trains with the typed options once without interruption, and once killed `kills` times (SIGKILL,
// and once SIGTERM) and resumed, each in a folder below --output. Compares weights, summary.csv and
// metrics.jsonl without times. Returns 0 if all are equal; otherwise raises an error that names the
// difference.
int verify_resume(const RunConfig& config, const CommandLine& line, int kills);

}  // namespace convoy
