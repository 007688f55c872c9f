// Writes the folder plots/ at the end of a run that was not stopped: predictions.csv,
// first_batch.png, worst.png, least_sure.png, what write_plots draws, and report.html.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// `run`: its folder; plots/ is made at the end. A failure is Fault::usage or Fault::checkpoint.
std::unique_ptr<Listener> plots_listener(const fs::path& run);

}  // namespace convoy
