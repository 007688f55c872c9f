#include "train/step/network_plans.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text/text.h"
#include "dist/gradient_exchange.h"
#include "ops/elementwise/cast.h"
#include "ops/exchange.h"
#include "ops/norm/batch_norm_span.h"
#include "ops/vocabulary.h"
#include "train/step/check_schedules.h"
#include "train/update/update_plan.h"

namespace convoy {
namespace {

void expect_no_faults(std::span<const StepSchedule> ranks) {
  const ScheduleCheck check = check_schedules(ranks);
  expect(check.faults.empty(), join(check.faults, "; "));
}

// Batches hold the input `image` in bf16; the network widens it if it needs to.
void take_bf16_images(Graph& graph) {
  for (const NamedValue& input : graph.inputs) {
    if (input.name != "image") continue;
    TensorType& type = graph.info(input.value).type;
    expect(type.dtype == DType::f32, "images of floats");
    const std::vector<int> readers = graph.readers(input.value);
    type.dtype = DType::bf16;
    Node& node = graph.node(graph.info(input.value).node);
    node.attributes = type;
    const auto at = std::ranges::find(graph.order, node.id) - graph.order.begin();
    Builder b(graph, static_cast<size_t>(at) + 1);
    const Value wide = ops::cast(b, input.value, DType::f32);
    for (const int id : readers) {
      for (Value& in : graph.node(id).in) in = in == input.value ? wide : in;
    }
  }
}

}  // namespace

NetworkPlans::NetworkPlans(const Task& task, const NetworkSpec& spec)
    : task_(task), step_(spec.step), average_(spec.average) {
  if (spec.optimizer) {
    add_task("train", {step_.plan_batch(), step_.plan_replicas(), spec.image, true}, spec);
    if (spec.tail_batch) add_task("tail", {spec.tail_batch, 1, spec.image, true}, spec);
  }
  const Shape eval_image = spec.eval.image.rank() ? spec.eval.image : spec.image;
  if (spec.eval_batch) add_task("eval", {spec.eval_batch, 1, eval_image, false}, spec);
  if (!spec.optimizer) return;
  slots_ = static_cast<int>(spec.optimizer->slots().size());
  add("statistics", 0, statistics_plan(state()));
  shares_ = step_.shard && step_.has_peers()
                ? UpdateShares::split(state(), step_.processes, step_.rank)
                : UpdateShares::whole(state());
  add("update", 0, update_plan(*spec.optimizer, state(), spec.clip, shares_, spec.kept));
  if (spec.average) add("average", 0, average_plan(state()));
  write_schedules(spec);
}

void NetworkPlans::add(std::string kind, int64_t batch, Plan plan) {
  plans_.push_back({std::move(kind), batch, std::make_unique<Plan>(std::move(plan))});
}

void NetworkPlans::add_task(std::string kind, const TaskShape& shape, const NetworkSpec& spec) {
  const PassWatch& watch = spec.watch;
  TaskGraph task = task_.build(shape);
  task.graph.choices = spec.choices;
  if (spec.image_type == DType::bf16) take_bf16_images(task.graph);
  if (shape.train && spec.tune) spec.tune(task.graph);
  CompileOptions options{.losses = std::move(task.losses),
                         .loss_scale = task.loss_scale,
                         .vocabulary = ops::vocabulary(),
                         .watch = watch,
                         .packs_once = kind == "train" && step_.runs() > 1,
                         .inference = kind == "eval" && spec.eval.folded,
                         .storage = spec.storage,
                         .recompute = spec.recompute,
                         .distribute = {}};
  if (kind == "train") options.distribute = [this](Graph& graph) { distribute(graph); };
  if (watch.print) {
    options.watch.print = [&watch, &kind](const std::string& title, const std::string& text) {
      watch.print(kind + " plan, " + title, text);
    };
  }
  Plan plan = compile(std::move(task.graph), options);
  add(std::move(kind), shape.batch, std::move(plan));
}

// Adds the exchanges: gradients are sent while the plan runs, the statistics after it.
void NetworkPlans::distribute(Graph& graph) {
  if (step_.lockstep()) ops::insert_span_exchanges(graph, step_.span);
  if (!step_.has_peers()) return;
  const StateLayout layout = lay_out_state(graph);
  buckets_ = cut_into_buckets(learning_floats(layout), step_.bucket_floats);
  Builder b(graph);
  for (size_t i = 0; i < buckets_.size(); ++i) {
    Values inside;
    for (size_t p = 0; p < layout.params.size(); ++p) {
      const StateLayout::Slot& slot = layout.params[p];
      const bool is_in =
          slot.offset < buckets_[i].end() && buckets_[i].begin < slot.offset + slot.count;
      if (is_in && graph.params[p].grad) inside.push_back(graph.params[p].grad);
    }
    ops::mark_bucket(b, static_cast<int>(i), std::move(inside));
  }
  const int64_t statistics = step_.accumulation * layout.stat_floats;
  if (statistics > 0) buckets_.push_back({layout.param_floats, statistics});
}

ExchangedParts NetworkPlans::exchanged_parts() const {
  const bool statistics = state().stat_floats > 0;
  return {.buckets = static_cast<int>(buckets_.size()) - (statistics && !buckets_.empty()),
          .statistics = statistics};
}

StepSchedule NetworkPlans::schedule_of_rank(int rank) const {
  return schedule_of(step_.of_rank(rank), exchanged_parts());
}

void NetworkPlans::write_schedules(const NetworkSpec& spec) {
  schedule_ = schedule_of(step_, exchanged_parts());
  if (spec.tail_batch) {
    expect(step_.is_one_run() && step_.replicas == 1, "a short step is one batch");
    tail_ = one_run_schedule(step_, exchanged_parts(), "tail");
    expect_no_faults({&tail_, 1});
  }
  // Ranks with the same number of replicas have the same schedule.
  const ReplicaSplit split(step_.replicas, step_.processes);
  std::vector<StepSchedule> different;
  std::set<int> counts;
  for (int rank = 0; step_.has_peers() && rank < step_.processes; ++rank) {
    if (!counts.insert(split.range(rank).count).second) continue;
    different.push_back(schedule_of_rank(rank));
  }
  if (!step_.has_peers()) different.push_back(schedule_);
  expect_no_faults(different);
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

}  // namespace convoy
