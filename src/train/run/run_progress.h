// How far a run has come: what a checkpoint must bring back besides tensors, as the numbers of its
// state.json. Their names, ranges and what stands for those that older checkpoints lack are one
// table, in run_progress.cpp.
#pragma once

#include <cstdint>

#include "train/checkpoint/train_state.h"

namespace convoy {

// Of what has not been evaluated.
inline constexpr double no_score = -1e300;

struct RunProgress {
  int64_t step = 0;
  int64_t epoch_bad = 0;         // samples of the epoch so far that were no images
  double best_score = no_score;  // by --best-metric
  // The main metric at this very step, of the weights and of their average; `no_score`: not
  // evaluated.
  double main_metric = no_score, average_metric = no_score;
  int64_t stale = 0;              // evaluations since the best one
  int64_t last_step = 0;          // with which the run ends
  double scheduled = 0;           // the step of the schedule; ahead of `step` when time is short
  double lr = 0;                  // of the newest step
  int64_t ema_updates = 0;        // of the average
  int64_t averaged = 0;           // of them, since it last was a copy
  double seconds = 0;             // of all processes of the run
  bool boundary_pending = false;  // stopped between the last step of an epoch and its evaluation
};

// What the numbers of a run lie within.
struct ProgressBounds {
  int64_t total_steps = 0;
  int64_t global_batch = 1;
  double lr = 0;  // of the newest step, for checkpoints that do not tell
};

std::map<std::string, double> numbers_of(const RunProgress& progress);

// A number that is missing or outside of its range is Fault::checkpoint: `origin` and the number
// are named. A hash protects from accidents, not from those who compute it anew.
RunProgress progress_of(const TrainState& state, const ProgressBounds& bounds,
                        const std::string& origin);

}  // namespace convoy
