#include "engine/executor.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/error.h"

namespace convoy {

Workspace::Size Workspace::size(std::span<const Plan* const> plans, int threads) {
  Size size{.threads = threads};
  for (const Plan* plan : plans) {
    size.activations = std::max(size.activations, plan->workspace_bytes);
    size.scratch = std::max(size.scratch, plan->scratch_bytes);
    size.worker = std::max(size.worker, plan->worker_scratch_bytes);
  }
  size.worker = static_cast<size_t>(round_up(static_cast<int64_t>(size.worker), 4096));
  return size;
}

Workspace::Workspace(std::span<const Plan* const> plans, int threads) {
  const Size needed = size(plans, threads);
  worker_bytes_ = needed.worker;
  activations_.reserve(needed.activations + 1);
  scratch_.reserve(needed.scratch + 1);
  worker_scratch_.reserve(worker_bytes_ * static_cast<size_t>(threads) + 1);
}

void Workspace::first_touch(const Plan& plan, ThreadPool& pool) const {
  expect(holds(plan, pool.size()), "a workspace for the plan and the pool");
  activations_.first_touch(plan.workspace_bytes, pool);
  scratch_.first_touch(plan.scratch_bytes, pool);
  pool.run_in_each(
      [&](int worker) { back_with_pages(worker_scratch(worker), plan.worker_scratch_bytes); });
}

bool Workspace::holds(const Plan& plan, int threads) const {
  return plan.workspace_bytes <= activations_.size() && plan.scratch_bytes <= scratch_.size() &&
         plan.worker_scratch_bytes <= worker_bytes_ &&
         worker_bytes_ * static_cast<size_t>(threads) <= worker_scratch_.size();
}

Executor::Executor(const Plan& plan, const State& state, const Workspace& workspace,
                   ThreadPool& pool)
    : plan_(plan), state_(state), workspace_(workspace), pool_(pool) {
  // A plan without parameters of its own (an update) sees the state as whole regions.
  expect(plan.graph.params.empty() || plan.state == state.layout(),
         "the plan and the state are of one model");
  expect(workspace.holds(plan, pool.size()), "a workspace for the plan and the pool");
  if (plan.holds) held_.reserve(plan.held_bytes + 1);
  uses_.resize(plan.graph.inputs.size());
  bound_.resize(plan.graph.inputs.size(), nullptr);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    step.kernel->prepare(pool.size());
    Bound bound{step.kernel.get(),
                {},
                {},
                (plan.holds ? held_.data() : workspace.scratch()) + step.held_offset};
    for (size_t i = 0; i < step.in.size(); ++i) {
      if (step.in[i].region == Region::input) uses_[step.in[i].offset].push_back({s, i});
      bound.in.push_back(resolve(step.in[i]));
    }
    for (const Place& place : step.out) bound.out.push_back(resolve(place));
    steps_.push_back(std::move(bound));
  }
}

std::byte* Executor::resolve(const Place& place) const {
  const auto bytes = [](std::span<float> span) {
    return reinterpret_cast<std::byte*>(span.data());
  };
  switch (place.region) {
    case Region::workspace:
      return workspace_.activations() + place.offset;
    case Region::input:
      return bound_[place.offset];
    case Region::params:
      return bytes(state_.params()) + place.offset;
    case Region::grads:
      return bytes(state_.grads()) + place.offset;
    case Region::stats:
      return bytes(state_.stats()) + place.offset;
    case Region::batch_stats:
      return bytes(state_.batch_stats()) + place.offset;
    case Region::slots:
      return bytes(state_.slot(0)) + place.offset;
    case Region::average_params:
      return bytes(state_.average_params()) + place.offset;
    case Region::average_stats:
      return bytes(state_.average_stats()) + place.offset;
  }
  return nullptr;
}

bool Executor::try_bind(std::string_view input, const void* data) {
  bool found = false;
  for (size_t i = 0; i < plan_.graph.inputs.size(); ++i) {
    if (plan_.graph.inputs[i].name != input) continue;
    // Kernels do not write to their inputs' memory unless the planner said so, and it never does
    // for a plan input.
    bound_[i] = static_cast<std::byte*>(const_cast<void*>(data));
    for (const Use& use : uses_[i]) steps_[use.step].in[use.arg] = bound_[i];
    found = true;
  }
  return found;
}

void Executor::bind(std::string_view input, const void* data) {
  if (!try_bind(input, data))
    raise(Fault::bug, "internal error: the plan has no input '{}'", input);
}

void Executor::check_bound() const {
  for (size_t i = 0; i < bound_.size(); ++i) {
    if (!bound_[i])
      raise(Fault::bug, "internal error: input '{}' is not bound", plan_.graph.inputs[i].name);
  }
}

void Executor::run_step(size_t s, bool skips) const {
  const Bound& step = steps_[s];
  const int first = skips ? step.kernel->holding_phases() : 0;
  for (int phase = first; phase < step.kernel->phases(); ++phase) {
    pool_.run(step.kernel->tasks(phase), [&](int task, int worker) {
      const KernelArgs args{
          step.in,   step.out, workspace_.scratch(), workspace_.worker_scratch(worker),
          step.held, worker};
      step.kernel->run(phase, task, args);
    });
  }
}

void Executor::tell_times(size_t step, std::chrono::steady_clock::time_point start) const {
  times_(step, std::chrono::duration<double>(start.time_since_epoch()).count(), steady_seconds());
}

void Executor::run_in_step(std::span<Executor* const> all, Parameters parameters,
                           const AfterStep& after) {
  const Executor& first = *all.front();
  const bool skips = parameters == Parameters::same && first.plan_.holds;
  for (const Executor* one : all) {
    expect(&one->plan_ == &first.plan_, "executors of one plan");
    one->check_bound();
  }
  const ThreadPool::CallerOnItsCore on_its_core(first.pool_);
  if (first.seconds_) first.seconds_->resize(first.steps_.size());
  for (size_t s = 0; s < first.steps_.size(); ++s) {
    const auto start = std::chrono::steady_clock::now();
    for (const Executor* one : all) one->run_step(s, skips);
    if (first.times_) first.tell_times(s, start);
    if (after) after(s);
    if (first.seconds_) {
      (*first.seconds_)[s] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  }
}

void Executor::run(Parameters parameters) {
  const bool skips = parameters == Parameters::same && plan_.holds;
  check_bound();
  const ThreadPool::CallerOnItsCore on_its_core(pool_);
  if (seconds_) seconds_->resize(steps_.size());
  for (size_t s = 0; s < steps_.size(); ++s) {
    const auto start = std::chrono::steady_clock::now();
    run_step(s, skips);
    if (times_) tell_times(s, start);
    if (after_step_) after_step_(s);
    if (seconds_) {
      (*seconds_)[s] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  }
}

const Input& Executor::find_output(std::string_view name) const {
  for (const Input& output : plan_.graph.outputs) {
    if (output.name == name) return output;
  }
  raise(Fault::bug, "internal error: the plan has no output '{}'", name);
}

const float* Executor::output(std::string_view name) const {
  const Value v = find_output(name).value;
  expect(plan_.graph.type(v).dtype == DType::f32, "a result that is read as fp32");
  return reinterpret_cast<const float*>(resolve(plan_.places[static_cast<size_t>(v.id)]));
}

const TensorType& Executor::output_type(std::string_view name) const {
  return plan_.graph.type(find_output(name).value);
}

}  // namespace convoy
