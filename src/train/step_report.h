// Tells of each step: its loss, and the pace since the last step that was recorded.
#pragma once

#include "data/loading/loader.h"
#include "train/run/run_site.h"

namespace convoy {

class StepReport {
 public:
  explicit StepReport(const RunSite& site) : site_(site) {}

  // Before the first step of this process.
  void begin(int64_t step);
  // That many seconds were no training: an evaluation, a checkpoint.
  void leave_out(double seconds) { seconds_ += seconds; }
  void tell(const RunState& state, const Results& results, const Loader& loader);

 private:
  const RunSite& site_;
  // Since the last recorded step.
  double seconds_ = 0, wait_ = 0;
  int64_t step_ = 0, samples_ = 0;
};

// Of the run and its plans, once.
void tell_start(const RunSite& site);
// What its user should know before the first step of a process.
void tell_warnings(const RunSite& site);

}  // namespace convoy
