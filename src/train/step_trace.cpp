// What a step tells a trace: its plans' nodes, forward and backward, and the buckets of gradients.

#include <fmt/core.h>

#include <algorithm>

#include "train/step_peers.h"
#include "train/step_runner.h"
#include "train/trace.h"

namespace convoy {

void StepRunner::run_plan(const std::function<void()>& run) {
  if (!trace_) return run();
  const double begin = backward_began_ = steady_seconds();
  run();
  trace_->add("forward", "phase", begin, backward_began_);
  trace_->add("backward", "phase", backward_began_, steady_seconds());
}

void StepRunner::trace(Trace* trace) {
  trace_ = trace;
  const auto watch = [&](Executor& executor, bool has_backward) {
    if (!trace) return executor.time_steps({});
    const Plan& plan = executor.plan();
    executor.time_steps([this, &plan, has_backward](size_t step, double begin, double end) {
      if (has_backward && step == backward_step_) backward_began_ = begin;
      const Node& node = plan.graph.node(plan.steps[step].node);
      trace_->add(fmt::format("{} {}", node.op->name, node.name), "op", begin, end);
    });
  };
  // The backward pass begins where the loss scale is read.
  const Plan& plan = executors_.gradients.plan();
  const auto reads_scale = [&](const Step& step) {
    return std::ranges::any_of(step.in, [&](const Place& place) {
      return place.region == Region::input && plan.graph.inputs[place.offset].name == "loss_scale";
    });
  };
  backward_step_ =
      static_cast<size_t>(std::ranges::find_if(plan.steps, reads_scale) - plan.steps.begin());
  watch(executors_.gradients, true);
  watch(executors_.statistics, false);
  watch(executors_.update, false);
  if (!peers_) return;
  if (!trace) return peers_->gradients().time_buckets({});
  const auto buckets = static_cast<int>(peers_->gradients().buckets().size());
  for (int b = 0; b < buckets; ++b) trace->name_lane(b + 1, fmt::format("bucket {}", b));
  peers_->gradients().time_buckets([this](int bucket, double begin, double end) {
    if (bucket < 0) return trace_->add("gather parameters", "exchange", begin, end);
    trace_->add(fmt::format("bucket {}", bucket), "exchange", begin, end, bucket + 1);
  });
}

}  // namespace convoy
