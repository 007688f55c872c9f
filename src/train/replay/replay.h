// Repeats one step of a run, node by node, to find the first value that is not finite. It starts
// from the newest checkpoint before the step, or from the start of the run, and repeats the steps
// between as they were: results depend neither on threads nor on processes, so one process repeats
// what several did. It writes nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/event.h"
#include "train/run/run_config.h"
#include "train/run/run_dir.h"
#include "train/step/finite_watch.h"

namespace convoy {

struct Replay {
  int64_t step = 0;      // as events and logs count: 1 is the first
  std::string from;      // the checkpoint; empty: the start of the run
  int64_t repeated = 0;  // steps between that and this one
  double lr = 0, loss = 0, loss_scale = 1;
  bool updated = false;          // the step changed the parameters
  std::vector<int64_t> samples;  // of the step: indices in the dataset
  std::optional<NonFiniteValue> found;
  std::vector<std::string> names;  // of the samples in `found`
};

// A step that the run cannot have is Fault::usage. `told` hears of the progress: steps done, steps
// to do. `listener` gets warnings.
Replay replay_step(const RunConfig& config, const RunDir& dir, int64_t step, Listener& listener,
                   const std::function<void(int64_t done, int64_t all)>& told);

}  // namespace convoy
