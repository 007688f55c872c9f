// The folder of a run: docs/formats/run_directory.md. One process at a time works in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace convoy {

// An exclusive lock on a run directory, or another folder, given up when the process ends, however
// it ends.
class RunLock {
 public:
  // Somebody else's lock is Fault::usage and names the process.
  explicit RunLock(const fs::path& run_dir);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&&) = delete;

  // False on the few network file systems without locks: then nothing protects the run.
  bool held() const { return held_; }

 private:
  int descriptor_;
  bool held_ = false;
};

class RunDir {
 public:
  // Makes `output`/`name`, or -2, -3 … where that exists, with its subfolders, and locks it. A
  // place that cannot be written is Fault::usage.
  static RunDir create(const fs::path& output, const std::string& name);
  // An existing run, to go on with it: locked. What is no run directory is Fault::checkpoint.
  static RunDir open(const fs::path& path);
  // A run that another process works in, perhaps on another host: nothing is looked at.
  static RunDir of_another(const fs::path& path) { return RunDir(path); }
  // An existing run, only to read.
  static RunDir look(const fs::path& path);

  const fs::path& path() const { return path_; }
  fs::path args() const { return path_ / "args.yml"; }
  fs::path env() const { return path_ / "env.json"; }
  fs::path log() const { return path_ / "log.txt"; }
  fs::path metrics() const { return path_ / "metrics.jsonl"; }
  fs::path summary() const { return path_ / "summary.csv"; }
  fs::path sessions() const { return path_ / "sessions.jsonl"; }
  fs::path checkpoints() const { return path_ / "checkpoints"; }
  fs::path weights() const { return path_ / "weights"; }
  // False when the file system has no locks, or after `look`.
  bool locked() const { return lock_ && lock_->held(); }

 private:
  explicit RunDir(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
  std::optional<RunLock> lock_;
};

// The logs whose lengths a checkpoint records and a resume cuts back to; sessions.jsonl is none.
const std::vector<std::string>& run_logs();

}  // namespace convoy
