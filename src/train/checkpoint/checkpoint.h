// Reads and writes a run's checkpoints: folders checkpoints/step-0001500, each complete or absent,
// and the links `last` and `best`. Format: docs/formats/checkpoint.md. Writing needs the run's
// lock.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "train/checkpoint/train_state.h"

namespace convoy {

// A file to be saved: the concatenation of its parts, which are borrowed.
struct CheckpointFile {
  std::string name;  // "model.safetensors"
  std::vector<std::string_view> parts;
};

// A checkpoint in memory, every byte verified.
struct Checkpoint {
  fs::path path;
  TrainState state;
  int64_t best_step = -1;
  std::map<std::string, std::string> files;  // name -> content
  std::map<std::string, uint64_t> log_lengths;
};

// "step-0001500"
std::string checkpoint_name(int64_t step);

// Reads a folder or the target of a link. Any defect is Fault::checkpoint.
Checkpoint read_checkpoint(const fs::path& folder);

// Reads and verifies a single file of a checkpoint. Any defect, or a file that the checkpoint does
// not have, is Fault::checkpoint.
std::string read_checkpoint_file(const fs::path& folder, const std::string& name);

class CheckpointStore {
 public:
  // Receives a defect and the file that has it.
  using Warn = std::function<void(const fs::path& path, const std::string& reason)>;

  // `keep`: how many of the newest checkpoints to keep; the targets of `last` and `best` are always
  // kept. A stopgap (saved because of a signal) is not counted and is removed with the next
  // checkpoint, so that a stopped run keeps the same checkpoints as an uninterrupted one.
  CheckpointStore(fs::path run_dir, int keep);

  // Writes to a temporary folder, fsyncs, renames, then moves the links and removes old
  // checkpoints. `announce` is called when the files are on disk, before the logs are measured:
  // emit CheckpointSaved and flush the listeners in it. If anything fails before the rename, all
  // earlier checkpoints remain and the attempt is removed; a full disk is Fault::no_space. Returns
  // the folder.
  fs::path save(const TrainState& state, std::span<const CheckpointFile> files, bool best,
                const std::function<void()>& announce = {});

  // The newest valid checkpoint; empty if there is none at all. Damaged ones are skipped with a
  // warning; if all are damaged: Fault::checkpoint.
  std::optional<Checkpoint> load_newest(const Warn& warn) const;

  // Prepares to continue from `from` (null: from the start). Newer checkpoints are renamed to
  // `set-aside-step-…`, the links are corrected, and leftovers of a killed process are removed,
  // including checkpoints that it had yet to remove.
  void rewind_to(const Checkpoint* from);

  // Truncates the run's logs to the recorded lengths, and a log without a recorded length to
  // nothing. If a log is already shorter, it warns and the run continues.
  void cut_logs(const std::map<std::string, uint64_t>& lengths, const Warn& warn) const;

  // The same for the files that other programs read (`side_logs`): one without a recorded length is
  // removed, and a failure is a warning.
  void cut_side_logs(const std::map<std::string, uint64_t>& lengths, const Warn& warn) const;

  const fs::path& folder() const { return folder_; }
  // Newest first.
  std::vector<int64_t> steps() const;

 private:
  void clean_leftovers() const;
  void prune() const;
  // The step of a link's target; empty if it dangles.
  std::optional<int64_t> linked(const char* link) const;
  bool is_stopgap(int64_t step) const;
  void commit(const fs::path& temporary, const fs::path& final_path) const;

  fs::path run_dir_, folder_;
  int keep_;
};

}  // namespace convoy
