#include "engine/executor.h"

#include <algorithm>

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
  expect(fits(plan, pool.size()), "a workspace for the plan and the pool");
  activations_.first_touch(plan.workspace_bytes, pool);
  scratch_.first_touch(plan.scratch_bytes, pool);
  pool.run_in_each(
      [&](int worker) { back_with_pages(worker_scratch(worker), plan.worker_scratch_bytes); });
}

bool Workspace::fits(const Plan& plan, int threads) const {
  return plan.workspace_bytes <= activations_.size() && plan.scratch_bytes <= scratch_.size() &&
         plan.worker_scratch_bytes <= worker_bytes_ &&
         worker_bytes_ * static_cast<size_t>(threads) <= worker_scratch_.size();
}

Executor::Executor(const Plan& plan, const State& state, const Workspace& workspace,
                   ThreadPool& pool)
    : plan_(plan), state_(state), workspace_(workspace), pool_(pool) {
  // The plan of an update has no parameters of its own; it uses whole regions of the state.
  expect(plan.graph.params.empty() || plan.state == state.layout(),
         "the plan and the state are of one model");
  expect(workspace.fits(plan, pool.size()), "a workspace for the plan and the pool");
  if (plan.packs_once) packed_.reserve(plan.packed_bytes + 1);
  uses_.resize(plan.graph.inputs.size());
  bound_.resize(plan.graph.inputs.size(), nullptr);
  for (const auto& [region, bytes] : plan.apart) given_.push_back({region, nullptr});
  for (size_t s = 0; s < plan.ops.size(); ++s) {
    const PlanOp& op = plan.ops[s];
    op.kernel->prepare(pool.size());
    Bound bound{op.kernel.get(),
                {},
                {},
                (plan.packs_once ? packed_.data() : workspace.scratch()) + op.packed_offset,
                {}};
    const Node& node = plan.graph.node(op.node);
    if (node.op->collective) bound.collective = node.op->collective(node);
    has_collectives_ = has_collectives_ || bound.collective;
    for (size_t i = 0; i < op.in.size(); ++i) {
      if (op.in[i].region == &regions::input) uses_[op.in[i].offset].push_back({s, i});
      bound.in.push_back(resolve(op.in[i]));
    }
    for (const Place& place : op.out) bound.out.push_back(resolve(place));
    ops_.push_back(std::move(bound));
  }
}

std::byte* Executor::resolve(const Place& place) const {
  const Region& region = *place.region;
  if (region.layout == Region::Layout::caller) return bound_[place.offset];
  std::byte* memory = region.layout == Region::Layout::lifetimes
                          ? workspace_.activations()
                          : reinterpret_cast<std::byte*>(state_.region(region).data());
  for (const auto& [row, theirs] : given_) {
    if (row == &region) memory = theirs;
  }
  return memory ? memory + place.offset : nullptr;
}

void Executor::give(const Region& region, std::byte* memory) {
  const auto known = std::ranges::find(given_, &region, &decltype(given_)::value_type::first);
  expect(known != given_.end(), "a region that the plan lays out apart");
  known->second = memory;
  const auto resolve_all = [&](const std::vector<Place>& places, std::vector<std::byte*>& at) {
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].region == &region) at[i] = resolve(places[i]);
    }
  };
  for (size_t s = 0; s < ops_.size(); ++s) {
    resolve_all(plan_.ops[s].in, ops_[s].in);
    resolve_all(plan_.ops[s].out, ops_[s].out);
  }
}

bool Executor::try_bind(std::string_view input, const void* data) {
  bool found = false;
  for (size_t i = 0; i < plan_.graph.inputs.size(); ++i) {
    if (plan_.graph.inputs[i].name != input) continue;
    // Kernels write to an input's memory only if the planner allows it, which it never does for
    // plan inputs.
    bound_[i] = static_cast<std::byte*>(const_cast<void*>(data));
    for (const Use& use : uses_[i]) ops_[use.op].in[use.arg] = bound_[i];
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
  for (const auto& [region, memory] : given_) {
    if (!memory) raise(Fault::bug, "internal error: no memory was given for '{}'", region->name);
  }
}

void Executor::run_op(size_t s, bool skips) const {
  const Bound& op = ops_[s];
  const int first = skips ? op.kernel->packing_phases() : 0;
  for (int phase = first; phase < op.kernel->phases(); ++phase) {
    pool_.run(op.kernel->tasks(phase), [&](int task, int worker) {
      const KernelArgs args{
          op.in,     op.out, workspace_.scratch(), workspace_.worker_scratch(worker),
          op.packed, worker};
      op.kernel->run(phase, task, args);
    });
  }
}

void Executor::run(Parameters parameters) {
  Executor* const alone[] = {this};
  run(alone, parameters);
}

void Executor::run(std::span<Executor* const> all, Parameters parameters) {
  const Executor& first = *all.front();
  const bool skips = parameters == Parameters::same && first.plan_.packs_once;
  for (const Executor* one : all) {
    expect(&one->plan_ == &first.plan_, "executors of one plan");
    one->check_bound();
  }
  expect(first.collectives_ || !first.has_collectives_, "who does the plan's collectives");
  const ThreadPool::CallerOnItsCore on_its_core(first.pool_);
  for (size_t s = 0; s < first.ops_.size(); ++s) {
    const double start = first.observer_ ? steady_seconds() : 0;
    for (const Executor* one : all) one->run_op(s, skips);
    if (const auto& collective = first.ops_[s].collective) {
      if (collective->begins) first.collectives_->begin(*collective, all, s);
      if (collective->ends) first.collectives_->end(*collective, all, s);
    }
    if (first.observer_) first.observer_->ran(first.plan_, s, start, steady_seconds());
    if (first.collectives_) first.collectives_->progress();
  }
}

const NamedValue& Executor::find_output(std::string_view name) const {
  for (const NamedValue& output : plan_.graph.outputs) {
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
