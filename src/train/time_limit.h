// Ends a run when its hours are up (--max-hours): the learning-rate schedule is run through faster,
// so that all of it fits.
#pragma once

#include "train/run/run_site.h"

namespace convoy {

class TimeLimit {
 public:
  // Keeps both.
  TimeLimit(const RunSite& site, RunState& state) : site_(site), state_(state) {}

  // The first step of this process is next.
  void begin() { first_step_ = state_.progress.step; }
  // An evaluation, and what belongs to it, took that long.
  void add_boundary(double seconds);
  // After every step: how many more there is time for. Every rank at once.
  void after_step();

 private:
  int64_t fitting_steps(int64_t total, int64_t done) const;

  const RunSite& site_;
  RunState& state_;
  // Of this process.
  int64_t first_step_ = 0, boundaries_ = 0;
  double boundary_seconds_ = 0;
};

// The run ends with that step from now on.
void end_at(const RunSite& site, RunState& state, int64_t last_step, std::string reason);

}  // namespace convoy
