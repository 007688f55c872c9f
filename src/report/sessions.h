// sessions.jsonl: which processes worked on a run, and when. Append only: a resume cuts the other
// logs back, never this one.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

// One line per start, resume, warning, stop and end: event, t, pid, host, step and what belongs to
// it.
std::unique_ptr<Listener> sessions_listener(const fs::path& path);

}  // namespace convoy
