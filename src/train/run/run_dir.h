// The folder of a run (docs/formats/run_directory.md). Only one process at a time works in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace convoy {

// An exclusive lock on a folder. The system releases it when the process ends in any way.
class RunLock {
 public:
  // If another process has the lock: Fault::usage that names it. A lock file that is a symbolic
  // link is Fault::usage too.
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

// An open folder, identified by its descriptor, so it stays the same folder when it is renamed or
// removed.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& path);
  // Absolute, at the time of opening.
  const fs::path& path() const { return path_; }
  ~HeldFolder();
  HeldFolder(HeldFolder&& other) noexcept;
  HeldFolder& operator=(HeldFolder&&) = delete;

  // Whether the folder still has its original name. True if the system cannot tell.
  bool is_in_place() const;
  // Its present name; empty if it was removed or the system cannot tell.
  std::optional<fs::path> place() const;
  // Removes a file or an empty folder in it, if present.
  void remove(const char* name) const;
  // Removes the folder itself if it is empty and still has its name.
  void remove_itself() const;

 private:
  // `unless_known`: the answer if the system cannot tell.
  bool is_at(const fs::path& path, bool unless_known) const;

  fs::path path_;
  int descriptor_;
};

class RunDir {
 public:
  // Makes the folder `output`/`name`, or with -2, -3 … appended if that exists, with its
  // subfolders, and locks it. It survives a power cut. A place that is not writable is
  // Fault::usage; a failing disk is Fault::checkpoint.
  static RunDir create(const fs::path& output, const std::string& name);
  // Opens an existing run to continue it: locks it and removes unfinished files of a killed
  // process. A folder that is not a run directory is Fault::checkpoint.
  static RunDir open(const fs::path& path);
  // A run that another process works in, perhaps on another host. Nothing is checked.
  static RunDir of_another(const fs::path& path) { return RunDir(path); }
  // Opens an existing run for reading only.
  static RunDir look(const fs::path& path);

  const fs::path& path() const { return path_; }
  fs::path args() const { return path_ / "args.yml"; }
  fs::path env() const { return path_ / "env.json"; }
  fs::path log() const { return path_ / "log.txt"; }
  fs::path metrics() const { return path_ / "metrics.jsonl"; }
  fs::path summary() const { return path_ / "summary.csv"; }
  fs::path sessions() const { return path_ / "sessions.jsonl"; }
  // For detection only: the evaluations in the columns that YOLO programs write.
  fs::path results() const { return path_ / "results.csv"; }
  fs::path checkpoints() const { return path_ / "checkpoints"; }
  fs::path weights() const { return path_ / "weights"; }
  fs::path plots() const { return path_ / "plots"; }
  fs::path tensorboard() const { return path_ / "tb"; }
  fs::path wandb() const { return path_ / "wandb"; }
  fs::path mllog() const { return path_ / "mllog.txt"; }
  // False if the file system has no locks, or after `look`.
  bool locked() const { return lock_ && lock_->held(); }

  // Writes args.yml and keeps the text for `rescued`.
  void record(std::string args);

  // Undoes `create` for a run that failed before its first event: removes the files made at the
  // start, by name, and folders only if they are empty. After `open` it does nothing.
  void take_back() const;

  // Whether the folder still has the name `path`: a user may rename or remove it during the run.
  // True if this object holds no descriptor of the folder.
  bool is_in_place() const { return !folder_ || folder_->is_in_place(); }
  // Its present name; empty: it was removed.
  std::optional<fs::path> place() const { return folder_ ? folder_->place() : path_; }
  // Replaces a removed folder: makes the folder NAME-rescued beside it, with the same args.yml.
  RunDir rescued() const;

 private:
  explicit RunDir(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
  std::optional<HeldFolder> folder_;
  std::optional<RunLock> lock_;
  std::string args_;  // the text of args.yml
  bool is_new_ = false;
};

// The files that listeners write for other programs, relative to the run directory, sorted: event
// files of TensorBoard, transaction logs of W&B, MLPerf's lines. A checkpoint records their lengths
// too, but a run goes on without them.
std::vector<std::string> side_logs(const fs::path& run_dir);

// The logs whose lengths a checkpoint records and a resume truncates; sessions.jsonl is not one of
// them.
const std::vector<std::string>& run_logs();

}  // namespace convoy
