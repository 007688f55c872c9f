#include "train/step/step_collectives.h"

#include "base/error.h"
#include "ops/exchange.h"

namespace convoy {
namespace {

// Calls f(node, collective) for each node of the plan that begins a collective of that kind.
template <class F>
void each_collective(const Plan& plan, Collective::Kind kind, const F& f) {
  for (const PlanOp& op : plan.ops) {
    const Node& node = plan.graph.node(op.node);
    if (!node.op->collective) continue;
    const Collective collective = node.op->collective(node);
    if (collective.kind == kind && collective.begins)
      f(node, static_cast<size_t>(collective.number));
  }
}

}  // namespace

StepCollectives::StepCollectives(const NetworkPlans& plans, StepPeers* peers)
    : peers_(peers), split_(plans.step().replicas, plans.step().processes) {
  Transport* const transport = peers ? &peers->transport() : nullptr;
  if (plans.step().lockstep()) {
    const Plan& plan = *plans.find("train");
    std::vector<int64_t> floats;
    each_collective(plan, Collective::Kind::span, [&](const Node& node, size_t number) {
      floats.resize(std::max(floats.size(), number + 1));
      const size_t bytes = stored_bytes(plan.graph.type(node.in[0]));
      floats[number] = static_cast<int64_t>(bytes / sizeof(float));
    });
    spans_.emplace(transport, split_, plans.step().span, std::move(floats));
    given_.resize(static_cast<size_t>(plans.step().lanes()));
    gathered_.resize(given_.size());
  }
  const Plan& update = *plans.find("update");
  each_collective(update, Collective::Kind::rows, [&](const Node& node, size_t number) {
    expect(transport && number == rows_.size(), "exchanges in their order, between processes");
    const std::vector<int64_t>& cuts = ops::row_cuts(node);
    const size_t bytes = stored_bytes(update.graph.type(node.in[0]));
    rows_.push_back(
        std::make_unique<RowExchange>(*transport, cuts, bytes / static_cast<size_t>(cuts.back())));
  });
}

void StepCollectives::start() {
  if (spans_) spans_->start();
}

void StepCollectives::begin(const Collective& what, std::span<Executor* const> members, size_t op) {
  if (what.kind == Collective::Kind::bucket) complete_(what.number);
  if (what.kind != Collective::Kind::span) return;
  for (size_t i = 0; i < members.size(); ++i) {
    given_[i] = reinterpret_cast<const float*>(members[i]->input_of(op, 0));
  }
  spans_->publish(what.number, given_);
}

void StepCollectives::end(const Collective& what, std::span<Executor* const> members, size_t op) {
  if (what.kind == Collective::Kind::rows) {
    const Plan& plan = members[0]->plan();
    const Value rows = plan.graph.node(plan.ops[op].node).in[0];
    const size_t bytes = stored_bytes(plan.graph.type(rows));
    rows_[static_cast<size_t>(what.number)]->run({members[0]->input_of(op, 0), bytes});
  }
  if (what.kind != Collective::Kind::span) return;
  for (size_t i = 0; i < members.size(); ++i) {
    // Input 0 of `span_end`: the memory for the vectors of the group.
    gathered_[i] = reinterpret_cast<float*>(members[i]->input_of(op, 0));
  }
  spans_->collect(what.number, given_, gathered_, [this] {
    if (peers_) peers_->gradients().progress();
  });
}

void StepCollectives::progress() {
  if (!peers_) return;
  peers_->gradients().progress();
  note_progress();
}

}  // namespace convoy
