// What a run is and how far it is, from the files of its folder (docs/formats/run_directory.md).
// Nothing is written and nothing is locked. Files may be missing, damaged, half written, or change
// while they are read: what can be read is told, and `problems` has a line for each of the others.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/text/words.h"
#include "report/runs/run_curves.h"
#include "train/tasks/metric.h"

namespace convoy {

enum class RunStatus { unknown, running, finished, stopped, failed, killed };
constexpr auto words_of(RunStatus) {
  return words<RunStatus>("unknown", "running", "finished", "stopped", "failed", "killed");
}

// A value of the run's main metric.
struct RunScore {
  const MetricDef* metric = nullptr;  // a constant; null: unknown
  double value = 0;
  double epoch = 0;
};

// A start, resume or end of a process: a line of sessions.jsonl.
struct RunSession {
  std::string event, host, text;  // text: of a warning or a lost rank
  double time = 0;                // Unix seconds
  int64_t pid = 0, step = 0;
  std::map<std::string, double> numbers;  // all other fields
};

struct RunFacts {
  fs::path path;
  RunStatus status = RunStatus::unknown;
  int exit = 0;  // of the last process, if it ended

  // Of the events run_start and run_end; empty and 0: unknown.
  std::map<std::string, std::string> start_texts;  // model, dataset, image, precision, isa, version
  std::map<std::string, double> start;  // parameters, global_batch, total_steps, epochs, …
  std::map<std::string, double> last;   // of the last event `train`: step, epoch, loss, lr, …
  std::map<std::string, double> end;    // of run_end: seconds, peak_rss_bytes, …
  std::string weights_hash;

  std::optional<RunScore> score, best;  // of the last evaluation, and the best of all
  std::vector<RunSession> sessions;
  double began = 0, changed = 0;  // Unix seconds; 0: unknown
  std::optional<double> eta_s;    // only while it is running
  std::vector<std::string> problems;

  std::string text(const std::string& key) const;  // of `start_texts`; empty: unknown
  int64_t step() const;                            // 0: none yet
  int64_t total_steps() const;                     // 0: unknown
  double epoch() const;
};

// The locks that processes of this machine hold on files.
class HeldLocks {
 public:
  static HeldLocks now();
  // Whether the process holds a lock on the file.
  bool holds(const fs::path& file, int64_t pid) const;

 private:
  std::vector<std::pair<uint64_t, int64_t>> held_;  // inode and process, sorted
};

// Reads the ends of the logs, not all of them, so it takes about a millisecond. `now`: Unix
// seconds.
RunFacts read_run_facts(const fs::path& run, const HeldLocks& locks, double now);
RunFacts read_run_facts(const fs::path& run);

}  // namespace convoy
