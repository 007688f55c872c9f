// Who watches an executor at work.
#pragma once

#include <cstddef>
#include <vector>

#include "compile/plan.h"

namespace convoy {

class PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  // That step of the plan has run, in all executors that run in lockstep, between these seconds (of
  // `steady_seconds`). A collective's step lasts until what it must wait for is there.
  virtual void ran(const Plan& plan, size_t step, double begin, double end) = 0;
};

// Adds up the seconds of each step of one plan over its runs.
class StepSeconds final : public PlanObserver {
 public:
  void ran(const Plan& plan, size_t step, double begin, double end) override {
    seconds_.resize(plan.steps.size());
    seconds_[step] += end - begin;
  }
  // By step; empty before the first run.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  std::vector<double> seconds_;
};

}  // namespace convoy
