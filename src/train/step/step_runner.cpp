#include "train/step/step_runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/sums.h"
#include "train/bind_batch.h"

namespace convoy {

StepRunner::StepRunner(const NetworkPlans& plans, ThreadPool& pool, Executors executors,
                       StepPeers* peers, StepCollectives* collectives)
    : plans_(plans),
      pool_(pool),
      executors_(std::move(executors)),
      peers_(peers),
      collectives_(collectives),
      rows_(plans.step().micro_batches(), plans.step().most_samples(),
            peers ? &peers->transport() : nullptr),
      results_(plans.task().results()) {
  const StepShape& shape = plans.step();
  expect(!shape.together || (shape.accumulation == 1 && !shape.narrow),
         "replicas run together only without accumulation and in full precision");
  expect(std::ssize(executors_.lanes) == shape.lanes(), "lanes");
  expect(!peers || peers->gradients().data().data() == state().grads().data(),
         "gradients that others see");
  executors_.statistics.bind("bn_momentum", &inputs_.bn_momentum);
  executors_.statistics.bind("stat_scale", &inputs_.stat_scale);
  executors_.statistics.bind("skip_update", &inputs_.skip);
  executors_.update.bind("learning_rate", &inputs_.learning_rate);
  executors_.update.bind("grad_scale", &inputs_.grad_scale);
  executors_.update.bind("step", &inputs_.step);
  executors_.update.bind("skip_update", &inputs_.skip);
  executors_.update.try_bind("rounding_key", &inputs_.rounding_key);
  if (!shape.is_one_run()) sums_.emplace(shape, plans.state(), pool);
  now_.batches.resize(executors_.lanes.size());
  for (const Lane& lane : executors_.lanes) now_.ran.push_back(lane.executor);
  if (!collectives) return;
  collectives->when_complete([this](int bucket) { act_inside(bucket); });
  executors_.lanes.front().executor->connect(collectives);
  executors_.update.connect(collectives);
}

const Results& StepRunner::run(const StepInputs& inputs, const Next& next) {
  return follow(plans_.schedule(), inputs, next);
}

const Results& StepRunner::run_tail(const StepInputs& inputs, const Next& next) {
  expect(executors_.tail, "a plan for the short last step");
  return follow(plans_.tail_schedule(), inputs, next);
}

const Results& StepRunner::follow(const StepSchedule& schedule, const StepInputs& inputs,
                                  const Next& next) {
  static_cast<StepInputs&>(inputs_) = inputs;
  now_.next = &next;
  now_.updated = false;
  inputs_.skip = inputs.skip_update ? 1 : 0;
  rows_.start();
  results_->clear();
  if (sums_) sums_->start();
  const std::span<const Action> all = schedule.actions;
  for (size_t i = 0, after = 0; i < all.size(); i = after) {
    for (after = i + 1; after < all.size() && all[after].inside;) ++after;
    act(all[i], all.subspan(i + 1, after - i - 1));
  }
  return *results_;
}

void StepRunner::act(const Action& a, std::span<const Action> inside) {
  using Kind = Action::Kind;
  switch (a.kind) {
    case Kind::open:
      return peers_->gradients().start();
    case Kind::batch:
      return take_batch(a);
    case Kind::run:
      return run_plan(a, inside);
    case Kind::record_results:
      return record_results(a);
    case Kind::leaf:
      return add_to_leaf(a);
    case Kind::round:
      return round(a);
    case Kind::push:
      return sums_->push(local_index(a.replica));
    case Kind::sum:
      return sum(a.part);
    case Kind::begin:
      return peers_->gradients().begin(
          a.part == Action::statistics ? static_cast<int>(plans_.buckets().size()) - 1 : a.part);
    case Kind::end:
      return finish_exchange();
    case Kind::results:
      return gather_results();
    case Kind::statistics:
      return move_statistics(a.micro);
    case Kind::update:
      return update();
    case Kind::gather:
      return peers_->gradients().gather(state().params());
  }
}

size_t StepRunner::lane_of(int replica) const {
  return static_cast<size_t>(local_index(replica)) % executors_.lanes.size();
}

std::span<StepRunner::Lane> StepRunner::lanes_of(const Action& a) {
  const std::span<Lane> all = executors_.lanes;
  return all.size() == 1 ? all : all.subspan(lane_of(a.replica), static_cast<size_t>(a.replicas));
}

// In lockstep the batches of all replicas are needed at once, but a batch of the loader is valid
// only until the next one is taken, so it is copied.
void StepRunner::take_batch(const Action& a) {
  const Batch& batch = (*now_.next)();
  const size_t lane = lane_of(a.replica);
  now_.batches[lane] = &batch;
  if (!plans_.step().lockstep()) return;
  if (copies_.size() <= lane) copies_.push_back(std::make_unique<Batch>(batch.types()));
  copies_[lane]->copy(batch);
  now_.batches[lane] = copies_[lane].get();
}

void StepRunner::run_plan(const Action& a, std::span<const Action> inside) {
  const std::span<Lane> lanes = lanes_of(a);
  const size_t first = lane_of(a.replica);
  for (size_t i = 0; i < lanes.size(); ++i) {
    Executor& executor = a.plan == "tail" ? *executors_.tail : *lanes[i].executor;
    bind(executor, *now_.batches[first + i]);
    executor.bind("loss_scale", &inputs_.loss_scale);
    now_.ran[first + i] = &executor;
  }
  now_.inside = inside;
  if (collectives_) collectives_->start();
  if (step_trace_) step_trace_->begin_run();
  const auto members = std::span(now_.ran).subspan(first, lanes.size());
  watch_run(a.plan, members, a);
  Executor::run(members, a.fresh ? Executor::Parameters::changed : Executor::Parameters::same);
  if (step_trace_) step_trace_->end_run();
  now_.inside = {};
}

void StepRunner::act_inside(int bucket) {
  for (const Action& action : now_.inside) {
    if (action.part == bucket) act(action, {});
  }
}

void StepRunner::record_results(const Action& a) {
  const size_t lane = lane_of(a.replica);
  rows_.add(plans_.task(), *now_.ran[lane], *now_.batches[lane],
            local_index(a.replica) * plans_.step().accumulation + a.micro);
}

Bucket StepRunner::floats_of(int part) const {
  if (part == Action::gradients) return {0, plans_.state().param_floats};
  return part == Action::statistics ? sums_->all_statistics()
                                    : plans_.buckets()[static_cast<size_t>(part)];
}

void StepRunner::add_to_leaf(const Action& a) {
  int replica = local_index(a.replica);
  for (const Lane& lane : lanes_of(a)) {
    if (a.part == Action::statistics) {
      sums_->set_statistics(replica++, a.micro, lane.state->batch_stats());
    } else {
      const Bucket where = floats_of(a.part);
      sums_->add(replica++, a.micro, where, lane.state->grads().data() + where.begin);
    }
  }
}

void StepRunner::round(const Action& a) {
  const Bucket where = floats_of(a.part);
  for (int i = 0; sums_ && i < a.replicas; ++i) {
    round_to_bf16(sums_->leaf(local_index(a.replica) + i, where), pool_);
  }
  if (sums_) return;
  const auto begin = static_cast<size_t>(where.begin), count = static_cast<size_t>(where.count);
  round_to_bf16(state().grads().subspan(begin, count), pool_);
}

std::span<float> StepRunner::statistics_sums() const {
  if (peers_) {
    const auto count =
        static_cast<size_t>(plans_.step().accumulation) * state().batch_stats().size();
    return peers_->gradients().data().subspan(state().grads().size(), count);
  }
  return sums_ ? sums_->leaf(0, sums_->all_statistics()) : std::span<float>{};
}

void StepRunner::sum(int part) {
  if (!sums_) {  // a single run: its result is the sum
    std::ranges::copy(state().batch_stats(), statistics_sums().begin());
    return;
  }
  const Bucket where = floats_of(part);
  const auto begin = static_cast<size_t>(where.begin), count = static_cast<size_t>(where.count);
  sums_->sum(where, part == Action::statistics ? statistics_sums()
                                               : state().grads().subspan(begin, count));
}

void StepRunner::finish_exchange() {
  const TraceSpan span(trace_, "exchange wait", "phase");
  peers_->gradients().finish();
}

void StepRunner::gather_results() {
  const TraceSpan span(peers_ ? trace_ : nullptr, "exchange wait", "phase");
  const int64_t signal = rows_.gather(peers_ ? peers_->signal() : 0, *results_);
  if (!std::isfinite(results_->loss())) inputs_.skip = 1;
  if (peers_) peers_->note_stop(signal);
}

void StepRunner::move_statistics(int micro) {
  const std::span<float> stats = state().batch_stats(), sums = statistics_sums();
  const StepShape& shape = plans_.step();
  const bool at_once = micro == Action::every;
  if (at_once) std::ranges::fill(stats, 0.0f);
  for (int m = at_once ? 0 : micro; !sums.empty() && m < (at_once ? shape.accumulation : micro + 1);
       ++m) {
    const float* of_micro = sums.data() + m * std::ssize(stats);
    if (at_once) {
      kernels::accumulate(stats.data(), of_micro, std::ssize(stats));
    } else {
      std::copy_n(of_micro, stats.size(), stats.begin());
    }
  }
  const TraceSpan span(trace_, "statistics", "phase");
  const auto micros = static_cast<float>(at_once ? shape.accumulation : 1);
  inputs_.stat_scale = 1 / (static_cast<float>(shape.replicas) * micros);
  executors_.statistics.run();
}

void StepRunner::update() {
  const auto terms = static_cast<float>(plans_.step().replicas * plans_.step().accumulation);
  inputs_.grad_scale = 1 / (terms * inputs_.loss_scale);
  const TraceSpan span(trace_, "update", "phase");
  Executor* const alone[] = {&executors_.update};
  watch_run("update", alone, {.kind = Action::Kind::update});
  executors_.update.run();
  now_.updated = executors_.update.output("updated")[0] != 0;
  if (watch_) watch_->end_step(state());
}

LossScaling::Step StepRunner::outcome() const {
  const bool has_loss = std::isfinite(results_->loss());
  return {.loss_is_finite = has_loss, .gradients_are_finite = now_.updated || !has_loss};
}

void StepRunner::set_observers() {
  observers_.all.clear();
  if (step_trace_) observers_.all.push_back(step_trace_.get());
  if (watch_) observers_.all.push_back(watch_);
  PlanObserver* const observer = observers_.all.empty() ? nullptr : &observers_;
  for (Executor* executor :
       {executors_.lanes.front().executor, &executors_.statistics, &executors_.update}) {
    executor->observe(observer);
  }
  if (executors_.tail) executors_.tail->observe(watch_);
}

void StepRunner::watch(FiniteWatch* watch) {
  watch_ = watch;
  set_observers();
}

void StepRunner::watch_run(std::string_view plan, std::span<Executor* const> members,
                           const Action& a) {
  if (!watch_) return;
  const StepShape& shape = plans_.step();
  const int64_t first = (int64_t{a.replica} * shape.accumulation + a.micro) * shape.micro_batch;
  watch_->begin_run(plan, members, first, shape.accumulation * shape.micro_batch);
}

void StepRunner::trace(Trace* trace) {
  trace_ = trace;
  Executor& gradients = *executors_.lanes.front().executor;
  step_trace_ = trace ? std::make_unique<StepTrace>(*trace, gradients.plan()) : nullptr;
  set_observers();
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
