// Checkpoints of a run: folders checkpoints/step-0001500 that are complete or not there at all, and
// links `last` and `best`. The layout: docs/formats/checkpoint.md. Needs the run's lock to write.
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

// A file to be saved: its parts laid end to end, borrowed.
struct CheckpointFile {
  std::string name;  // "model.safetensors"
  std::vector<std::string_view> parts;
};

// One that was read, every byte verified.
struct Checkpoint {
  fs::path path;
  TrainState state;
  int64_t best_step = -1;
  std::map<std::string, std::string> files;  // name -> content
  std::map<std::string, uint64_t> log_lengths;
};

// "step-0001500"
std::string checkpoint_name(int64_t step);

// Reads one folder, or what a link points to. Any defect is Fault::checkpoint.
Checkpoint read_checkpoint(const fs::path& folder);

// One file of a checkpoint alone, verified as above; one that the checkpoint does not have is
// Fault::checkpoint too.
std::string read_checkpoint_file(const fs::path& folder, const std::string& name);

class CheckpointStore {
 public:
  // What is wrong, and with which file.
  using Warn = std::function<void(const fs::path& path, const std::string& reason)>;

  // `keep`: how many of the newest stay; what `last` and `best` point to stays anyway. A stopgap is
  // none of them: it goes when the next checkpoint is there, so that a run that was stopped keeps
  // what the uninterrupted one keeps.
  CheckpointStore(fs::path run_dir, int keep);

  // Writes beside, fsyncs, renames, then moves the links and prunes. `announce` is called when the
  // files are on disk, before the logs are measured: emit CheckpointSaved and flush the listeners
  // in it. If anything fails before the rename, nothing of the attempt is left and every earlier
  // checkpoint is; a full disk is Fault::no_space. Returns the folder.
  fs::path save(const TrainState& state, std::span<const CheckpointFile> files, bool best,
                const std::function<void()>& announce = {});

  // The newest sound checkpoint; empty when there is none at all. Each damaged one is skipped with
  // a warning; only damaged ones is Fault::checkpoint.
  std::optional<Checkpoint> load_newest(const Warn& warn) const;

  // To go on from `from` (or from the start) as if nothing had come after it: newer checkpoints are
  // set aside as `set-aside-step-…` (they are damaged, or were chosen against), the links are made
  // to fit, leftovers of a killed process go, also what it could not prune.
  void rewind_to(const Checkpoint* from);

  // Cuts the run's logs to the recorded lengths; a log without one to nothing. A log that is
  // already shorter cannot be helped: a warning, and the run goes on.
  void cut_logs(const std::map<std::string, uint64_t>& lengths, const Warn& warn) const;

  const fs::path& folder() const { return folder_; }
  // Newest first.
  std::vector<int64_t> steps() const;

 private:
  void clean_leftovers() const;
  void prune() const;
  // The step a link points to; empty if it dangles.
  std::optional<int64_t> linked(const char* link) const;
  bool is_stopgap(int64_t step) const;
  void commit(const fs::path& temporary, const fs::path& final_path) const;

  fs::path run_dir_, folder_;
  int keep_;
};

}  // namespace convoy
