// Writes sessions.jsonl: which processes worked on a run, and when. Append only: unlike the other
// logs, it is not truncated by a resume.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// One line per start, resume, warning, stop and end, with event, t, pid, host, step and the fields
// of the event.
std::unique_ptr<Listener> sessions_listener(const fs::path& path);

}  // namespace convoy
