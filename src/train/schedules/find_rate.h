// Learning-rate range test: runs real training steps with a learning rate that grows from step to
// step, without saving anything.
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
  std::function<void(const std::string&)> told;  // one line about the weights of --init-from
  TellBad bad;                                   // a sample that cannot be decoded
  std::function<void(const RateCurve&)> after_step;
};

// Ends early if the curve diverges or `stop` holds a signal. The data must not end before the
// steps: --epochs 0. If memory is short: Fault::no_space.
RateCurve find_rate(const RunSetup& setup, const FindRateOptions& options,
                    const std::atomic<int>& stop, const FindRateWatch& watch);

}  // namespace convoy
