// The clock of a thread that watches others and may itself not run for a while (a suspended
// machine, a stopped process): such time counts against none of them.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace convoy {

class RunningClock {
 public:
  // Must be asked at least every two seconds while the thread runs.
  double now() {
    const double real = steady_seconds();
    gap_ = real - last_;
    lost_ += std::max(0.0, gap_ - 2);
    last_ = real;
    return real - lost_;
  }
  // Between the last two looks at it.
  double gap() const { return gap_; }

 private:
  double last_ = steady_seconds(), lost_ = 0, gap_ = 0;
};

}  // namespace convoy
