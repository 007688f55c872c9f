// Interface to observe an executor, and an observer that measures times.
#pragma once

#include <cstddef>
#include <vector>

#include "compile/plan.h"

namespace convoy {

class PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  // Plan op `op` has run, in all executors in lockstep, between these times (`steady_seconds`). For
  // an exchange the time includes waiting for other ranks.
  virtual void ran(const Plan& plan, size_t op, double begin, double end) = 0;
};

// Tells several observers; borrows them.
class Observers final : public PlanObserver {
 public:
  std::vector<PlanObserver*> all;
  void ran(const Plan& plan, size_t op, double begin, double end) override {
    for (PlanObserver* one : all) one->ran(plan, op, begin, end);
  }
};

// Sums the seconds of each plan op over all runs of one plan.
class OpSeconds final : public PlanObserver {
 public:
  void ran(const Plan& plan, size_t op, double begin, double end) override {
    seconds_.resize(plan.ops.size());
    seconds_[op] += end - begin;
  }
  // By plan op; empty before the first run.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  std::vector<double> seconds_;
};

}  // namespace convoy
