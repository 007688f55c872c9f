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
// What the last line of a metrics.jsonl says, where that is a whole line and the end of a run with
// exit 0; whatever else stands there is no end.
std::optional<FinishedRun> read_finished_run(std::string_view metrics);

// How the run ended, if it has come to its end: metrics.jsonl closes with run_end and exit 0.
std::optional<FinishedRun> finished_run(const RunDir& dir);

// Whether it has; if so, says so with the run's last line, `weights <hash>`.
bool say_if_finished(const RunDir& dir);

}  // namespace convoy
