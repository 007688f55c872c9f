// The listeners of a run: the screen, and the files for other programs.
#pragma once

#include "train/run/run_config.h"
#include "train/run/run_dir.h"

namespace convoy {

// `all` and `metrics`, those of the run's task, must outlive the listeners. A resumed run's console
// knows its earlier evaluations.
void add_console(const RunConfig& config, const RunDir& dir, std::span<const MetricDef> metrics,
                 Listeners& all);

// Those that the options ask for. A failure to write their files is a warning.
void add_side_listeners(const RunConfig& config, const RunDir& dir, Listeners& all);

}  // namespace convoy
