// Ends a run after --max-hours: it advances the learning-rate schedule faster, so that the whole
// schedule fits into the time.
#pragma once

#include "train/run/run_site.h"

namespace convoy {

class TimeLimit {
 public:
  // Keeps both references.
  TimeLimit(const RunSite& site, RunState& state) : site_(site), state_(state) {}

  // Call before the first step of this process.
  void begin() { first_step_ = state_.progress.step; }
  // Adds the time of an evaluation and a checkpoint.
  void add_boundary(double seconds);
  // Call after every step, on all ranks: computes how many further steps fit into the time left.
  void after_step();

 private:
  int64_t fitting_steps(int64_t total, int64_t done) const;

  const RunSite& site_;
  RunState& state_;
  // In this process.
  int64_t first_step_ = 0, boundaries_ = 0;
  double boundary_seconds_ = 0;
};

// Makes `last_step` the last step of the run.
void end_at(const RunSite& site, RunState& state, int64_t last_step, std::string reason);

}  // namespace convoy
