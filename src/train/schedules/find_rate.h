// Trains with a learning rate that grows from step to step: the trainer's own steps from the same
// start, in a run that keeps nothing.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "train/bad_samples.h"
#include "train/run/run_setup.h"
#include "train/schedules/rate_curve.h"

namespace convoy {

struct FindRateOptions {
  double low = 1e-4, high = 10;
  int64_t steps = 200;
  double smooth = 0.9;
};

struct FindRateWatch {
  std::function<void(const std::string&)> told;  // of --init-from, in one line
  TellBad bad;                                   // a sample that is no image
  std::function<void(const RateCurve&)> after_step;
};

// Ends early when the curve has diverged, or when `stop` holds a signal. The data must last for the
// steps: --epochs 0. What does not fit into memory is Fault::no_space.
RateCurve find_rate(const RunSetup& setup, const FindRateOptions& options,
                    const std::atomic<int>& stop, const FindRateWatch& watch);

}  // namespace convoy
