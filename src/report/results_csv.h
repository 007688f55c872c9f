// Writes results.csv of a detector's run: a line per epoch in the columns that YOLO programs write,
// for the tools that read theirs.
#pragma once

#include <memory>
#include <string>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// Appends to `path`; an empty file gets the header first.
std::unique_ptr<Listener> results_csv_listener(const fs::path& path);

// The header and a line, without newlines. Numbers read back bit for bit; fields of an epoch
// without evaluation are empty.
std::string results_header();
std::string results_line(const EpochDone& epoch);

}  // namespace convoy
