// Writes a run's weights, checkpoints and traces into its folder. If the user renames or removes
// the folder during the run, they are saved in the renamed folder or in a new one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/run/run_site.h"
#include "train/trace.h"
#include "train/update/whole_slots.h"
#include "weights/safetensors.h"

namespace convoy {

class RunFiles {
 public:
  // Keeps both references.
  RunFiles(const RunSite& site, RunState& state);

  // Saves a checkpoint of the newest step; all ranks call it. `scheduled`: false for the checkpoint
  // of a stopped run, which an uninterrupted run does not have.
  void save(bool scheduled);
  // Writes weights/FILE; does nothing on ranks that write no files.
  void write_weights(const std::string& file, bool average);
  // Writes the trace of this rank and, on rank 0 of several, all of them as one; all ranks call it.
  void write_trace(const Trace& trace);

  // If the folder was renamed or removed, raises an error that tells where the run was saved.
  void expect_in_place();

 private:
  // The run's folder under its present name; if it was removed, a new one beside it.
  fs::path place();
  // Calls `write`, and once more if the folder lost its name meanwhile.
  void write_in_place(const std::function<void()>& write);
  // Emits CheckpointSaved unless `is_told`, and sets it.
  void write_checkpoint(const WholeSlots& slots, bool scheduled, bool& is_told);
  Metadata metadata(bool average) const;

  const RunSite& site_;
  RunState& state_;
  std::optional<RunDir> rescued_;  // replaces the folder after it was removed
};

// The optimizer's buffers with their names in a checkpoint.
std::vector<TensorEntry> optimizer_tensors(const RunSite& site, const WholeSlots& slots);
// The algorithms of the run's kernels, as a checkpoint records them.
std::string algorithms_of(const RunSetup& setup);

}  // namespace convoy
