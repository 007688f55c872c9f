#include "train/network.h"

#include "ops/vocabulary.h"
#include "tensor/onednn.h"
#include "train/update_plan.h"

namespace convoy {

Network::Network(const Task& task, const NetworkSpec& spec)
    : task_(task), watch_(spec.watch), pool_(spec.threads, onednn::use_one_thread) {
  const Plan *train = nullptr, *tail = nullptr, *eval = nullptr;
  const Plan *statistics = nullptr, *update = nullptr, *average = nullptr;
  if (spec.optimizer) {
    train =
        add_task("train", {spec.step.plan_batch(), spec.step.plan_replicas(), spec.image, true});
    if (spec.tail_batch) tail = add_task("tail", {spec.tail_batch, 1, spec.image, true});
  }
  if (spec.eval_batch) eval = add_task("eval", {spec.eval_batch, 1, spec.image, false});
  const StateLayout layout = plans_.front().plan->state;
  if (spec.optimizer) {
    statistics = add("statistics", 0, statistics_plan(layout));
    update = add("update", 0, update_plan(*spec.optimizer, layout));
    if (spec.average) average = add("average", 0, average_plan(layout));
  }
  const int slots = spec.optimizer ? static_cast<int>(spec.optimizer->slots().size()) : 0;
  state_ = std::make_unique<State>(layout, slots, spec.average);
  std::vector<const Plan*> all;
  for (const NamedPlan& named : plans_) all.push_back(named.plan.get());
  workspace_ = std::make_unique<Workspace>(all, pool_.size());
  gradients_ = executor(train);
  tail_ = executor(tail);
  evaluation_ = executor(eval);
  statistics_ = executor(statistics);
  update_ = executor(update);
  average_ = executor(average);
  if (spec.optimizer) {
    steps_ =
        std::make_unique<StepRunner>(spec.step, task_, *state_, pool_,
                                     StepRunner::Executors{*gradients_, *statistics_, *update_});
  }
}

Plan* Network::add(std::string kind, int64_t batch, Plan plan) {
  plans_.push_back({std::move(kind), batch, std::make_unique<Plan>(std::move(plan))});
  return plans_.back().plan.get();
}

Plan* Network::add_task(std::string kind, const TaskShape& shape) {
  TaskGraph task = task_.build(shape);
  CompileOptions options{.losses = std::move(task.losses),
                         .loss_scale = task.loss_scale,
                         .vocabulary = ops::vocabulary(),
                         .watch = watch_};
  if (watch_.print) {
    options.watch.print = [this, kind](const std::string& title, const std::string& text) {
      watch_.print(kind + " plan, " + title, text);
    };
  }
  return add(std::move(kind), shape.batch, compile(std::move(task.graph), options));
}

std::unique_ptr<Executor> Network::executor(const Plan* plan) {
  return plan ? std::make_unique<Executor>(*plan, *state_, *workspace_, pool_) : nullptr;
}

}  // namespace convoy
