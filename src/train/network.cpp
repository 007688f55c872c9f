#include "train/network.h"

#include "base/error.h"
#include "ops/batch_norm_span.h"
#include "ops/exchange.h"
#include "ops/vocabulary.h"
#include "tensor/onednn.h"
#include "train/update_plan.h"

namespace convoy {
namespace {

// Of gradients; the statistics behind them are sent after the run.
void mark_buckets(Graph& graph, const StateLayout& layout, const std::vector<Bucket>& buckets) {
  Builder b(graph);
  for (size_t i = 0; i < buckets.size() && buckets[i].begin < layout.param_floats; ++i) {
    Values inside;
    for (size_t p = 0; p < layout.params.size(); ++p) {
      const StateLayout::Slot& slot = layout.params[p];
      const bool is_in =
          slot.offset < buckets[i].end() && buckets[i].begin < slot.offset + slot.count;
      if (is_in && graph.params[p].grad) inside.push_back(graph.params[p].grad);
    }
    ops::mark_bucket(b, static_cast<int>(i), std::move(inside));
  }
}

std::unique_ptr<StepPeers> peers_of(const NetworkPlans& plans, Transport* transport,
                                    ThreadPool& pool) {
  expect(plans.instances() == (transport ? transport->size() : 1), "plans for these processes");
  if (plans.instances() == 1) return nullptr;
  return std::make_unique<StepPeers>(*transport, plans.step(), plans.state(), plans.exchange(),
                                     pool);
}

}  // namespace

NetworkPlans::NetworkPlans(const Task& task, const NetworkSpec& spec)
    : task_(task),
      step_(spec.step),
      instances_(spec.instances),
      exchange_(spec.exchange),
      average_(spec.average) {
  if (spec.optimizer) {
    add_task("train", {spec.step.plan_batch(), spec.step.plan_replicas(), spec.image, true}, spec);
    if (spec.tail_batch) add_task("tail", {spec.tail_batch, 1, spec.image, true}, spec);
  }
  if (spec.eval_batch) add_task("eval", {spec.eval_batch, 1, spec.image, false}, spec);
  if (!spec.optimizer) return;
  slots_ = static_cast<int>(spec.optimizer->slots().size());
  add("statistics", 0, statistics_plan(state()));
  shares_ = exchange_.shard && instances_ > 1 ? UpdateShares::split(state(), instances_, spec.rank)
                                              : UpdateShares::whole(state());
  add("update", 0, update_plan(*spec.optimizer, state(), spec.clip, shares_));
  if (spec.average) add("average", 0, average_plan(state()));
}

void NetworkPlans::add(std::string kind, int64_t batch, Plan plan) {
  plans_.push_back({std::move(kind), batch, std::make_unique<Plan>(std::move(plan))});
}

void NetworkPlans::add_task(std::string kind, const TaskShape& shape, const NetworkSpec& spec) {
  const PassWatch& watch = spec.watch;
  TaskGraph task = task_.build(shape);
  task.graph.choices = spec.choices;
  if (shape.train && spec.tune) spec.tune(task.graph);
  CompileOptions options{.losses = std::move(task.losses),
                         .loss_scale = task.loss_scale,
                         .vocabulary = ops::vocabulary(),
                         .watch = watch,
                         .holds = kind == "train" && step_.runs() > 1,
                         .distribute = {}};
  if (kind == "train" && (instances_ > 1 || step_.in_step())) {
    options.distribute = [&](Graph& graph) {
      if (step_.in_step()) ops::spread_batch_norms(graph, step_.span);
      if (instances_ == 1) return;
      const StateLayout layout = lay_out_state(graph);
      mark_buckets(graph, layout, StepPeers::buckets(step_, layout, exchange_));
    };
  }
  if (watch.print) {
    options.watch.print = [&watch, &kind](const std::string& title, const std::string& text) {
      watch.print(kind + " plan, " + title, text);
    };
  }
  Plan plan = compile(std::move(task.graph), options);
  add(std::move(kind), shape.batch, std::move(plan));
}

const Plan* NetworkPlans::find(std::string_view kind) const {
  for (const Named& named : plans_) {
    if (named.kind == kind) return named.plan.get();
  }
  return nullptr;
}

std::vector<const Plan*> NetworkPlans::pointers() const {
  std::vector<const Plan*> all;
  for (const Named& named : plans_) all.push_back(named.plan.get());
  return all;
}

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
  // Before the first step. An evaluation alone needs no gradients: it takes pages as it goes.
  state_.first_touch(pool_);
  workspace_.first_touch(gradients_->plan(), pool_);
  StepRunner::Executors executors{*gradients_, *statistics_, *update_};
  if (plans.step().in_step()) make_replicas_in_step(executors, transport);
  steps_ = std::make_unique<StepRunner>(plans.step(), plans.task(), state_, pool_, executors,
                                        peers_.get());
}

Network::Further::Further(const State& first, const Plan& plan, ThreadPool& pool)
    : state(State::Beside{first}),
      workspace(std::vector<const Plan*>{&plan}, pool.size()),
      executor(plan, state, workspace, pool) {
  state.first_touch(pool);
  workspace.first_touch(plan, pool);
}

void Network::make_replicas_in_step(StepRunner::Executors& executors, Transport* transport) {
  const Plan& plan = gradients_->plan();
  for (int i = 1; i < plans_.step().local(); ++i) {
    Further& one = *further_.emplace_back(std::make_unique<Further>(state_, plan, pool_));
    executors.others.push_back({&one.state, &one.executor});
  }
  std::vector<int64_t> floats;
  for (const Step& step : plan.steps) {
    const Node& node = plan.graph.node(step.node);
    const ops::SpanMark mark = ops::marked_span(node);
    if (mark.exchange < 0 || mark.ends) continue;
    floats.resize(std::max(floats.size(), static_cast<size_t>(mark.exchange) + 1));
    const size_t bytes = stored_bytes(plan.graph.type(node.in[0]));
    floats[static_cast<size_t>(mark.exchange)] = static_cast<int64_t>(bytes / sizeof(float));
  }
  split_ = std::make_unique<ReplicaSplit>(plans_.step().replicas, plans_.instances());
  spans_ = std::make_unique<SpanExchange>(plans_.instances() > 1 ? transport : nullptr, *split_,
                                          plans_.step().span, std::move(floats));
  executors.spans = spans_.get();
}

std::unique_ptr<Executor> Network::executor(std::string_view kind) {
  const Plan* plan = plans_.find(kind);
  return plan ? std::make_unique<Executor>(*plan, state_, workspace_, pool_) : nullptr;
}

}  // namespace convoy
