// The folder of a run: docs/formats/run_directory.md. One process at a time works in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace convoy {

// An exclusive lock on a run directory, or another folder, given up when the process ends, however
// it ends.
class RunLock {
 public:
  // Another process's lock is Fault::usage and names it; a lock file that is a link is Fault::usage
  // too.
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

// A folder that stays the same one when it gets another name, or none: by its descriptor.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& path);
  // Absolute, as it was then.
  const fs::path& path() const { return path_; }
  ~HeldFolder();
  HeldFolder(HeldFolder&& other) noexcept;
  HeldFolder& operator=(HeldFolder&&) = delete;

  // Whether it still has the name that it was opened by. True where the system does not tell.
  bool is_in_place() const;
  // The name it has now; none when it was removed, or the system does not tell.
  std::optional<fs::path> place() const;
  // Removes an entry: a file, or an empty folder. What is not there is not missed.
  void remove(const char* name) const;
  // The folder itself, when it is empty and still has its name.
  void remove_itself() const;

 private:
  // `unless_known`: the answer where the system does not tell.
  bool is_at(const fs::path& path, bool unless_known) const;

  fs::path path_;
  int descriptor_;
};

class RunDir {
 public:
  // Makes `output`/`name`, or -2, -3 … where that exists, with its subfolders, and locks it; after
  // a power cut it is still there. A place that cannot be written is Fault::usage; a disk that
  // fails Fault::checkpoint.
  static RunDir create(const fs::path& output, const std::string& name);
  // An existing run, to go on with it: locked, and what a killed process left half written is gone.
  // What is no run directory is Fault::checkpoint.
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

  // Writes args.yml, and remembers it for `rescued`.
  void record(std::string args);

  // Takes `create` back, of a run that failed before its first event: removes the files that a
  // start makes, by name, and folders only when they are empty. Does nothing after `open`.
  void take_back() const;

  // Whether the folder still has the name `path`: a user may rename or remove it meanwhile. True
  // for a RunDir that does not hold the folder.
  bool is_in_place() const { return !folder_ || folder_->is_in_place(); }
  // The name it has now; none: it was removed.
  std::optional<fs::path> place() const { return folder_ ? folder_->place() : path_; }
  // For a run whose folder was removed: a new one beside, NAME-rescued, with the same args.yml.
  RunDir rescued() const;

 private:
  explicit RunDir(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
  std::optional<HeldFolder> folder_;
  std::optional<RunLock> lock_;
  std::string args_;  // the text of args.yml
  bool is_new_ = false;
};

// The logs whose lengths a checkpoint records and a resume cuts back to; sessions.jsonl is none.
const std::vector<std::string>& run_logs();

}  // namespace convoy
