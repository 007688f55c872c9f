// What a detector's run leaves at its end: a line for each class on standard error, and the folder
// plots/ of the run with curves and pictures.
#pragma once

#include "train/run/run_dir.h"

namespace convoy {

// Evaluates the best weights of a finished run once more, in this process alone. An error is a
// warning on standard error: the run is complete without it.
struct EndReport {
  int threads = 0;
  bool quiet = false;  // no table
  bool plots = true;   // writes the folder, else only the table
};
void report_detections(const RunDir& dir, const EndReport& what);

}  // namespace convoy
