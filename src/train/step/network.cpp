#include "train/step/network.h"

#include "base/error.h"
#include "tensor/onednn.h"

namespace convoy {
namespace {

std::unique_ptr<StepPeers> peers_of(const NetworkPlans& plans, Transport* transport,
                                    ThreadPool& pool) {
  const StepShape& step = plans.step();
  expect(step.processes == (transport ? transport->size() : 1), "plans for these processes");
  if (!step.has_peers()) return nullptr;
  return std::make_unique<StepPeers>(*transport, step, plans.state(), plans.buckets(), pool);
}

}  // namespace

Network::Network(const NetworkPlans& plans, int threads, const std::vector<int>& cores,
                 Transport* transport)
    : plans_(plans),
      pool_(threads, onednn::use_one_thread, cores),
      peers_(peers_of(plans, transport, pool_)),
      state_(plans.state(), plans.slots(), plans.average(),
             peers_ ? peers_->gradients().data() : std::span<float>{},
             plans.slots() ? plans.shares().slot_floats() : 0),
      workspace_(plans.pointers(), threads),
      gradients_(executor("train")),
      tail_(executor("tail")),
      evaluation_(executor("eval")),
      statistics_(executor("statistics")),
      update_(executor("update")),
      average_(executor("average")) {
  if (!gradients_) return;
  // Touch memory before the first step. An evaluation alone needs no gradients, so it touches pages
  // as it goes.
  state_.first_touch(pool_);
  workspace_.first_touch(gradients_->plan(), pool_);
  const StepShape& step = plans.step();
  std::vector<StepRunner::Lane> lanes{{&state_, gradients_.get()}};
  while (std::ssize(lanes) < step.lanes()) {
    Further& one =
        *further_.emplace_back(std::make_unique<Further>(state_, gradients_->plan(), pool_));
    lanes.push_back({&one.state, &one.executor});
  }
  if (peers_ || step.lockstep()) {
    collectives_ = std::make_unique<StepCollectives>(plans, peers_.get());
  }
  steps_ = std::make_unique<StepRunner>(
      plans, pool_, StepRunner::Executors{std::move(lanes), tail_.get(), *statistics_, *update_},
      peers_.get(), collectives_.get());
}

Network::Further::Further(const State& first, const Plan& plan, ThreadPool& pool)
    : state(State::Beside{first}),
      workspace(std::vector<const Plan*>{&plan}, pool.size()),
      executor(plan, state, workspace, pool) {
  state.first_touch(pool);
  workspace.first_touch(plan, pool);
}

std::unique_ptr<Executor> Network::executor(std::string_view kind) {
  const Plan* plan = plans_.find(kind);
  return plan ? std::make_unique<Executor>(*plan, state_, workspace_, pool_) : nullptr;
}

}  // namespace convoy
