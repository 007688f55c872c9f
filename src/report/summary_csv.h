// Writes summary.csv: one line per epoch, for spreadsheets.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// Appends to `path`; an empty file gets the header first. `metrics`: those of the run's task, one
// column each.
std::unique_ptr<Listener> summary_csv_listener(const fs::path& path,
                                               std::vector<MetricDef> metrics);

// One line without newline. Numbers read back bit for bit; fields of an epoch without evaluation
// are empty.
std::string summary_line(const EpochDone& epoch, std::span<const MetricDef> metrics);

}  // namespace convoy
