// Runs on several processes, started by mpirun as a user would, and what they left behind.
#pragma once

#include "support/run_files.h"

namespace convoy::test {

// Four replicas of 8, six steps and an evaluation in the middle; `more` adds options or gives
// others' values.
Arguments processes_recipe(const Arguments& more = {});

// Trained in a folder of its own. No processes: without mpirun.
struct ProcessesRun {
  TempFolder folder;
  fs::path dir = folder / "runs/a";

  explicit ProcessesRun(int processes, const Arguments& options, int code = 0);
  Finished resume(int processes, const Arguments& options = {}) const;
  std::string hash() const { return weights_hash_of(dir); }
  // What was trained and evaluated, to the last digit.
  std::vector<std::string> numbers() const;
  // As if it had been killed after the checkpoint of that step, before the next was there.
  void forget_after(int64_t step) const;
  // The last of that kind in sessions.jsonl; null: there is none.
  Json session_event(const std::string& kind) const;
};

}  // namespace convoy::test
