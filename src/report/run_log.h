// Writes log.txt, the log of a run for people.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// Appends every event to `path` as formatted by `Lines`, except events of a process that are not
// part of the run (Resumed: see sessions.h).
std::unique_ptr<Listener> run_log_listener(const fs::path& path);

}  // namespace convoy
