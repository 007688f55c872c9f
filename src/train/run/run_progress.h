// The progress of a run: the numbers that a checkpoint restores besides tensors, in its state.json.
// One table in run_progress.cpp has their names, ranges, and defaults for older checkpoints.
#pragma once

#include <cstdint>

#include "train/checkpoint/train_state.h"

namespace convoy {

// The score before any evaluation.
inline constexpr double no_score = -1e300;

// Of the loss scale, and of steps that were not finite.
struct ScaleProgress {
  double loss_scale = 1;       // of the next step
  int64_t scaled_steps = 0;    // finite steps since it last changed, if it is dynamic
  int64_t skipped = 0;         // steps that changed no parameter
  int64_t skipped_in_row = 0;  // the newest of them, without those that changed the scale
};

struct RunProgress {
  int64_t step = 0;
  int64_t epoch_bad = 0;         // bad samples of the epoch so far
  double best_score = no_score;  // by --best-metric
  // The main metric at this step, of the weights and of their average; `no_score`: not evaluated.
  double main_metric = no_score, average_metric = no_score;
  int64_t stale = 0;        // evaluations since the best one
  int64_t last_step = 0;    // the last step of the run
  double scheduled = 0;     // position in the schedule; ahead of `step` if time is short
  double lr = 0;            // of the newest step
  int64_t ema_updates = 0;  // updates of the average
  int64_t averaged = 0;     // of these, since it was last reset to a copy
  ScaleProgress scaling;
  double seconds = 0;             // of all processes that worked on the run
  bool boundary_pending = false;  // stopped between an epoch's last step and its evaluation
};

// The allowed ranges of these numbers.
struct ProgressBounds {
  int64_t total_steps = 0;
  int64_t global_batch = 1;
  double lr = 0;          // of the newest step, for checkpoints without it
  double loss_scale = 1;  // for checkpoints without it
};

std::map<std::string, double> numbers_of(const RunProgress& progress);

// A missing or out-of-range number is Fault::checkpoint, which names it and `origin`. The file's
// hash detects accidents, but not a changed file with a new hash.
RunProgress progress_of(const TrainState& state, const ProgressBounds& bounds,
                        const std::string& origin);

}  // namespace convoy
