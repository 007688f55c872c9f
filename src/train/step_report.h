// Emits an event for each step, with its loss and the pace since the last recorded step.
#pragma once

#include "data/loading/loader.h"
#include "train/run/run_site.h"

namespace convoy {

class StepReport {
 public:
  explicit StepReport(const RunSite& site) : site_(site) {}

  // Call before the first step of this process.
  void begin(int64_t step);
  // Excludes that many seconds (an evaluation, a checkpoint) from the pace.
  void leave_out(double seconds) { seconds_ += seconds; }
  void tell(const RunState& state, const Results& results, const Loader& loader);

 private:
  const RunSite& site_;
  // Since the last recorded step.
  double seconds_ = 0, wait_ = 0;
  int64_t step_ = 0, samples_ = 0;
};

// Emits the events about the run and its plans, once per run.
void tell_start(const RunSite& site);
// Emits warnings before the first step of a process.
void tell_warnings(const RunSite& site);

}  // namespace convoy
