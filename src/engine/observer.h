// What watches an executor while it runs a plan.
#pragma once

#include <cstddef>
#include <vector>

#include "compile/plan.h"

namespace convoy {

class PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  // Op number `op` of the plan has run, in all executors that run in lockstep, between these
  // seconds (of `steady_seconds`). A collective op lasts until what it must wait for is there.
  virtual void ran(const Plan& plan, size_t op, double begin, double end) = 0;
};

// Adds up the seconds of each op of one plan over its runs.
class OpSeconds final : public PlanObserver {
 public:
  void ran(const Plan& plan, size_t op, double begin, double end) override {
    seconds_.resize(plan.ops.size());
    seconds_[op] += end - begin;
  }
  // By op; empty before the first run.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  std::vector<double> seconds_;
};

}  // namespace convoy
