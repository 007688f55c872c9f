// What a step tells a trace: the nodes of its plans, and which of them are the backward pass.
#pragma once

#include "engine/observer.h"
#include "train/trace.h"

namespace convoy {

class StepTrace final : public PlanObserver {
 public:
  // Keeps both. `gradients`: the plan whose runs have a forward and a backward pass.
  StepTrace(Trace& trace, const Plan& gradients);

  void ran(const Plan& plan, size_t step, double begin, double end) override;
  // Around a run of the gradient plan.
  void begin_run();
  void end_run();

 private:
  Trace& trace_;
  const Plan& gradients_;
  size_t backward_step_ = 0;  // of the plan: the first that makes gradients
  double run_began_ = 0, backward_began_ = 0;
};

}  // namespace convoy
