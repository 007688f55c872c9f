// Tells from metrics.jsonl whether a run is finished, and with which weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "train/run/run_dir.h"

namespace convoy {

struct FinishedRun {
  int64_t step = 0;
  std::string weights_hash;
};
// Parses the last line of metrics.jsonl. Empty unless it is a complete line, a run_end with exit 0.
std::optional<FinishedRun> read_finished_run(std::string_view metrics);

// The result of the run if it is finished: its metrics.jsonl ends with run_end and exit 0.
std::optional<FinishedRun> finished_run(const RunDir& dir);

// Whether the run is finished; if so, prints the run's last line, `weights <hash>`.
bool say_if_finished(const RunDir& dir);

}  // namespace convoy
