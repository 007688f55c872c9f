#include "train/step/step_trace.h"

#include <fmt/core.h>

#include <algorithm>

#include "graph/site.h"

namespace convoy {

// The backward pass begins at the node that reads the loss scale.
StepTrace::StepTrace(Trace& trace, const Plan& gradients) : trace_(trace), gradients_(gradients) {
  const auto reads_scale = [&](const PlanOp& op) {
    return std::ranges::any_of(op.in, [&](const Place& place) {
      return place.region == &regions::input &&
             gradients.graph.inputs[place.offset].name == "loss_scale";
    });
  };
  const auto first = std::ranges::find_if(gradients.ops, reads_scale);
  backward_op_ = static_cast<size_t>(first - gradients.ops.begin());
}

void StepTrace::ran(const Plan& plan, size_t op, double begin, double end) {
  if (&plan == &gradients_ && op == backward_op_) backward_began_ = begin;
  const Node& node = plan.graph.node(plan.ops[op].node);
  trace_.add(fmt::format("{} {}", node.op->name, node.name), "op", begin, end, 0,
             &work_of(plan, op));
}

const TraceWork& StepTrace::work_of(const Plan& plan, size_t op) {
  std::vector<TraceWork>& works = works_[&plan];
  if (works.empty()) {
    for (const PlanOp& one : plan.ops) {
      const Node& node = plan.graph.node(one.node);
      const NodeCost cost = cost_of(plan.graph, node);
      works.push_back(
          {shape_text(plan.graph, node), one.kernel->implementation(), cost.flops, cost.bytes});
    }
  }
  return works[op];
}

void StepTrace::begin_run() { run_began_ = backward_began_ = steady_seconds(); }

void StepTrace::end_run() {
  trace_.add("forward", "phase", run_began_, backward_began_);
  trace_.add("backward", "phase", backward_began_, steady_seconds());
}

}  // namespace convoy
