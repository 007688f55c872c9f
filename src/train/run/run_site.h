// What the parts of a trainer share: the fixed parts of a run, and the state that training changes.
#pragma once

#include <memory>

#include "base/clock.h"
#include "train/event.h"
#include "train/run/run_dir.h"
#include "train/run/run_progress.h"
#include "train/run/run_setup.h"

namespace convoy {

// Made before the first step; outlives the parts of the trainer.
struct RunSite {
  const RunConfig& config;
  const RunDir& dir;
  Listener& listener;
  Transport* transport;  // to the other processes of the run; null: none
  const RunSetup& setup;
  Network& network;

  int rank() const { return transport ? transport->rank() : 0; }
  int processes() const { return transport ? transport->size() : 1; }
  bool writes_files() const { return rank() == 0; }  // only rank 0
};

// The state besides the tensors, which belong to the network.
struct RunState {
  RunProgress progress;
  std::unique_ptr<Results> epoch;      // of the epoch so far
  bool best_now = false;               // the newest evaluation was the best so far
  bool batch_shown = false;            // the run's first batch was told to listeners
  std::unique_ptr<FiniteWatch> watch;  // of every step; null: no --fp-exceptions
  int64_t saved_step = -1;             // of the checkpoint with this state; -1: none
  double started = 0;                  // start time of this process

  // Seconds of all processes that worked on the run, up to now.
  double elapsed() const { return progress.seconds + steady_seconds() - started; }
};

}  // namespace convoy
