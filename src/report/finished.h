#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "train/run_dir.h"

namespace convoy {

struct FinishedRun {
  int64_t step = 0;
  std::string weights_hash;
};

// How the run ended, if it has come to its end: metrics.jsonl closes with run_end and exit 0.
std::optional<FinishedRun> finished_run(const RunDir& dir);

// Whether it has; if so, says so with the run's last line, `weights <hash>`.
bool say_if_finished(const RunDir& dir);

}  // namespace convoy
