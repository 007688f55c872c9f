// log.txt: the run for people.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// Appends to `path` every event as `Lines` words it, except what belongs to a process and not to
// the run (Resumed: see sessions.h).
std::unique_ptr<Listener> run_log_listener(const fs::path& path);

}  // namespace convoy
