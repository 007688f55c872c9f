#pragma once

#include "train/run_dir.h"

namespace convoy {

// Whether the run has come to its end (metrics.jsonl closes with run_end and exit 0); if so, says
// so with its last line, `weights <hash>`.
bool say_if_finished(const RunDir& dir);

}  // namespace convoy
