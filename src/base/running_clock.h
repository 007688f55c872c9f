// The clock of a watchdog thread that may itself stop for a while (a suspended machine, a stopped
// process). It leaves such gaps out, so that they are not counted as delays of the watched threads.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace convoy {

class RunningClock {
 public:
  // Must be called at least every two seconds while the thread runs.
  double now() {
    const double real = steady_seconds();
    gap_ = real - last_;
    lost_ += std::max(0.0, gap_ - 2);
    last_ = real;
    return real - lost_;
  }
  // Seconds between the last two calls of `now`.
  double gap() const { return gap_; }

 private:
  double last_ = steady_seconds(), lost_ = 0, gap_ = 0;
};

}  // namespace convoy
