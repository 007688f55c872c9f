// Writes metrics.jsonl: one JSON object per line, for programs.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// Appends to the file `path`.
std::unique_ptr<Listener> jsonl_listener(const fs::path& path);

// The line of an event with its newline; `time` in Unix seconds. Empty for events that do not
// belong in the file. Doubles are written so that they read back bit for bit; NaN and infinities
// are the strings "nan", "inf", "-inf".
std::string metrics_line(const RunEvent& event, double time);

}  // namespace convoy
