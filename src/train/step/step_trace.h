// Records in a trace the ops of a step's plans, and its forward and backward passes.
#pragma once

#include <map>
#include <vector>

#include "engine/observer.h"
#include "train/trace.h"

namespace convoy {

class StepTrace final : public PlanObserver {
 public:
  // Keeps both references. `gradients`: the plan with a forward and a backward pass. The trace
  // refers to what this holds.
  StepTrace(Trace& trace, const Plan& gradients);

  void ran(const Plan& plan, size_t op, double begin, double end) override;
  // To be called around each run of the gradient plan.
  void begin_run();
  void end_run();

 private:
  const TraceWork& work_of(const Plan& plan, size_t op);

  Trace& trace_;
  const Plan& gradients_;
  size_t backward_op_ = 0;  // index in the plan of the first op of the backward pass
  double run_began_ = 0, backward_began_ = 0;
  std::map<const Plan*, std::vector<TraceWork>> works_;  // by plan op
};

}  // namespace convoy
