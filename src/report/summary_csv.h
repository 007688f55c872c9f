// summary.csv: one line per epoch, for spreadsheets.
#pragma once

#include <memory>

#include "base/file.h"
#include "train/event.h"

namespace convoy {

// Appends to `path`; an empty file gets the header first.
std::unique_ptr<Listener> summary_csv_listener(const fs::path& path);

// Without newline. Numbers come back bit for bit.
std::string summary_line(const EpochDone& epoch);

}  // namespace convoy
