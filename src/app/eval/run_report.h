// What a detector's run leaves at its end: a line for each class on standard error, and the folder
// plots/ of the run with curves and pictures.
#pragma once

#include "train/run/run_dir.h"

namespace convoy {

// Evaluates the best weights of a finished run once more, in this process alone. An error is a
// warning on standard error: the run is complete without it. `quiet`: no table.
void report_detections(const RunDir& dir, int threads, bool quiet);

}  // namespace convoy
