// What the parts of a trainer work on together: what a run is made of, and what training changes.
#pragma once

#include <memory>

#include "base/clock.h"
#include "train/event.h"
#include "train/run/run_dir.h"
#include "train/run/run_progress.h"
#include "train/run/run_setup.h"

namespace convoy {

// Made before the first step; all of it outlives the parts.
struct RunSite {
  const RunConfig& config;
  const RunDir& dir;
  Listener& listener;
  Transport* transport;  // to the other processes of the run; null: there are none
  const RunSetup& setup;
  Network& network;

  int rank() const { return transport ? transport->rank() : 0; }
  int processes() const { return transport ? transport->size() : 1; }
  bool writes_files() const { return rank() == 0; }  // rank 0 alone
};

// Besides the tensors, which are the network's.
struct RunState {
  RunProgress progress;
  std::unique_ptr<Results> epoch;  // of the epoch so far
  bool best_now = false;           // the newest evaluation was the best so far
  int64_t saved_step = -1;         // of the checkpoint that holds all of this; -1: none does
  double started = 0;              // of this process

  // Seconds of all processes of the run, this one's until now.
  double elapsed() const { return progress.seconds + steady_seconds() - started; }
};

}  // namespace convoy
