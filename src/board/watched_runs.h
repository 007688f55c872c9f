// The runs below a folder, kept up to date from their files. Any thread may ask.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/find_runs.h"
#include "report/runs/run_curves.h"
#include "report/runs/run_facts.h"

namespace convoy {

class WatchedRuns {
 public:
  explicit WatchedRuns(fs::path folder) : folder_(std::move(folder)) {}

  // Looks for new and removed runs, and reads again what changed. One thread calls it, again and
  // again. If the folder cannot be read, the first call raises; later its runs are gone. A folder
  // that takes long to walk is walked less often.
  void look();

  // A JSON list of all runs, each as `facts_json` with its `id`: 16 digits that stand for its name.
  std::string rows() const;
  // {"rows": […], "gone": [ids]}: what changed after the moment `seen`, which becomes now. Waits
  // for a change, but at most `seconds`; then empty.
  std::string news(uint64_t& seen, double seconds) const;
  uint64_t now() const;

  std::optional<FoundRun> find(const std::string& id) const;
  // The curves, read up to now, as `curves_json`. Empty: there is no such run.
  std::string curves(const std::string& id, size_t most_points);

  // Ends all waiting.
  void close();

 private:
  struct Run {
    FoundRun found;
    std::string signature;  // sizes and times of its logs
    RunStatus status = RunStatus::unknown;
    std::string row;       // JSON
    uint64_t changed = 0;  // when `row` changed
  };
  struct Curves {
    explicit Curves(const fs::path& run) : curves(run) {}
    std::mutex one_at_a_time;
    RunCurves curves;
    uint64_t used = 0;
  };

  void search();
  void read(Run& run, const HeldLocks& locks) const;
  std::shared_ptr<Curves> opened(const std::string& id);

  fs::path folder_;
  std::vector<FoundRun> found_;  // by the last search
  double next_search_ = 0;       // steady seconds
  mutable std::mutex lock_;
  mutable std::condition_variable change_;
  std::map<std::string, Run> runs_;                        // by id
  std::map<std::string, uint64_t> gone_;                   // id -> when
  std::map<std::string, std::shared_ptr<Curves>> curves_;  // of the runs shown last
  uint64_t now_ = 1, uses_ = 0;
  bool closed_ = false, looked_ = false;
};

}  // namespace convoy
