// `convoy train --verify-resume`: proof on the user's own machine, disk and recipe.
#pragma once

#include <vector>

#include "config/fields.h"
#include "train/run_config.h"

namespace convoy {

// Trains once without interruption and once killed `kills` times (SIGKILL, and SIGTERM once) and
// resumed, in folders of their own below --output, and compares weights, summary.csv and
// metrics.jsonl, times aside. 0 when all are equal; otherwise an error that names the difference.
int verify_resume(const RunConfig& config, const std::vector<Field>& fields, int kills);

}  // namespace convoy
