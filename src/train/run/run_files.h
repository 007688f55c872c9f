// What a run writes into its folder besides its logs: weights, checkpoints, traces. Whatever
// becomes of the folder meanwhile, what was trained is saved: where it is by then, or in a new one.
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
  // Keeps both.
  RunFiles(const RunSite& site, RunState& state);

  // A checkpoint of the newest step; every rank at once. `scheduled`: the run's own, and not that
  // of a stop, which an uninterrupted run does not have.
  void save(bool scheduled);
  // As weights/FILE; nothing on ranks that write no files.
  void write_weights(const std::string& file, bool average);
  // Of this rank.
  void write_trace(Trace& trace);

  // Ends the run with an error that tells where all was saved, unless its folder is where it was.
  void expect_in_place();

 private:
  // The run's folder, wherever it is by now; a new one beside where it was, when it was removed.
  fs::path place();
  // The folder may lose its name while something is written to it: then it is written once more.
  void write_in_place(const std::function<void()>& write);
  // Tells of it unless `is_told`, which is true afterwards.
  void write_checkpoint(const WholeSlots& slots, bool scheduled, bool& is_told);
  Metadata metadata(bool average) const;

  const RunSite& site_;
  RunState& state_;
  std::optional<RunDir> rescued_;  // where the run is saved when its folder was removed
};

// The optimizer's buffers as a checkpoint names them.
std::vector<TensorEntry> optimizer_tensors(const RunSite& site, const WholeSlots& slots);
// The algorithms that the run's kernels use, as a checkpoint records them.
std::string algorithms_of(const RunSetup& setup);

}  // namespace convoy
