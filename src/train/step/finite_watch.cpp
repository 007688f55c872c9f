#include "train/step/finite_watch.h"

#include <algorithm>

#include "base/error.h"
#include "graph/graph.h"

namespace convoy {

std::string NonFiniteValue::line() const {
  const std::string where = op.empty()    ? node
                            : output == 0 ? fmt::format("{} {}", op, node)
                                          : fmt::format("output {} of {} {}", output, op, node);
  return fmt::format("{} in {} ({}, plan {}): {} of {} values", kind(), where, type, plan,
                     range.others, range.count);
}

void FiniteWatch::raise_in(int64_t step, std::function<std::string(int64_t)> name) {
  step_ = step;
  sample_name_ = std::move(name);
}

void FiniteWatch::begin_run(std::string_view plan, std::span<Executor* const> members,
                            int64_t first, int64_t stride) {
  if (found_) return;
  kind_ = plan;
  members_.assign(members.begin(), members.end());
  first_ = first;
  stride_ = stride;
  samples_ = 0;
  const Graph& graph = this->plan().graph;
  for (const NamedValue& input : graph.inputs) {
    const Shape& shape = graph.type(input.value).shape;
    if (shape.rank() > 0) samples_ = shape[0];
    if (input.name == "image") break;
  }
  used_.assign(static_cast<size_t>(graph.value_count()), 0);
  for (const PlanOp& op : this->plan().ops) {
    for (const Value v : graph.node(op.node).in) {
      if (v) used_[static_cast<size_t>(v.id)] = 1;
    }
  }
  for (const Value v : graph.results()) used_[static_cast<size_t>(v.id)] = 1;
  ranges_.assign(members.size(), Ranges(static_cast<size_t>(graph.value_count())));
  for (size_t member = 0; member < members_.size() && !found_; ++member) scan_outside(member);
}

// Inputs first: a sample with such a value explains everything that follows.
void FiniteWatch::scan_outside(size_t member) {
  const Graph& graph = plan().graph;
  for (const NamedValue& input : graph.inputs) {
    if (look_at(member, input.value)) return;
  }
  // Whole regions of the state are scanned after the update, by the names of their parts.
  const auto is_outside = [&](Value v) {
    return !graph.producer(v).op->kernel && graph.info(v).region->layout != Region::Layout::views;
  };
  for (const PlanOp& op : plan().ops) {
    for (const Value v : graph.node(op.node).in) {
      const bool is_new = v && ranges_[member][static_cast<size_t>(v.id)].empty();
      if (is_new && is_outside(v) && look_at(member, v)) return;
    }
  }
}

bool FiniteWatch::has_samples(const Graph& graph, Value v) const {
  const ValueInfo& info = graph.info(v);
  const Shape& shape = info.type.shape;
  if (samples_ == 0 || shape.rank() == 0 || shape[0] != samples_) return false;
  if (info.region == &regions::workspace) {
    if (shape.rank() != 1) return true;
    // Of each sample, unless it may be of each channel.
    return std::ranges::none_of(graph.producer(v).in, [&](Value in) {
      const Shape& read = graph.type(in).shape;
      return read.rank() == 4 && read[1] == samples_;
    });
  }
  return info.region == &regions::input;
}

// Notes the range of a value; true: it is the first that is not finite.
bool FiniteWatch::look_at(size_t member, Value v) {
  const Graph& graph = plan().graph;
  const TensorType& type = graph.type(v);
  const std::byte* data = members_[member]->data_of(v);
  if (!is_scanned(type.dtype) || !data) return false;
  std::vector<ValueRange>& ranges = ranges_[member][static_cast<size_t>(v.id)];
  ranges = scan(type, data, has_samples(graph, v) ? samples_ : 1, pool_);
  if (joined(ranges).others == 0) return false;
  tell(member, v);
  return true;
}

void FiniteWatch::ran(const Plan& plan, size_t op, double, double) {
  if (found_ || members_.empty() || &plan != &this->plan()) return;
  for (size_t member = 0; member < members_.size(); ++member) {
    for (const Value v : plan.graph.node(plan.ops[op].node).out) {
      if (v && used_[static_cast<size_t>(v.id)] && look_at(member, v)) return;
    }
  }
}

std::string FiniteWatch::name_of(const Graph& graph, Value v) const {
  const ValueInfo& info = graph.info(v);
  const Node& maker = graph.producer(v);
  if (maker.op->kernel) return fmt::format("{} {}", maker.op->name, maker.name);
  const auto slot = static_cast<size_t>(std::max(info.slot, 0));
  if (info.region == &regions::params && slot < graph.params.size()) {
    return "parameter " + graph.params[slot].name;
  }
  if (info.region == &regions::stats && slot < graph.stats.size()) {
    return "statistic " + graph.stats[slot].name;
  }
  for (const NamedValue& input : graph.inputs) {
    if (input.value == v) return "input " + input.name;
  }
  return fmt::format("{} {}", maker.op->name, maker.name);
}

void FiniteWatch::tell(size_t member, Value v) {
  const Graph& graph = plan().graph;
  const Node& maker = graph.producer(v);
  const Ranges& known = ranges_[member];
  const auto ranges_of = [&](Value value) -> const std::vector<ValueRange>& {
    return known[static_cast<size_t>(value.id)];
  };
  const int64_t first = first_ + static_cast<int64_t>(member) * stride_;
  NonFiniteValue& found = found_.emplace();
  found.plan = kind_;
  if (maker.op->kernel) found.op = maker.op->name;
  found.node = maker.op->kernel ? maker.name : name_of(graph, v);
  found.output = graph.info(v).index;
  found.type = to_string(graph.type(v));
  found.range = joined(ranges_of(v));
  for (size_t i = 0; has_samples(graph, v) && i < ranges_of(v).size(); ++i) {
    if (ranges_of(v)[i].others > 0) found.samples.push_back(first + static_cast<int64_t>(i));
  }
  double largest = -1;
  for (const Value in : maker.op->kernel ? maker.in : Values{}) {
    if (!in || ranges_of(in).empty()) continue;  // absent, or not floats
    const std::vector<ValueRange>& parts = ranges_of(in);
    found.inputs.push_back({name_of(graph, in), to_string(graph.type(in)), joined(parts)});
    if (!found.samples.empty() && !found.by_magnitude) continue;
    for (size_t i = 0; has_samples(graph, in) && i < parts.size(); ++i) {
      if (parts[i].largest() <= largest) continue;
      largest = parts[i].largest();
      found.samples = {first + static_cast<int64_t>(i)};
      found.by_magnitude = true;
    }
  }
  found_one();
}

void FiniteWatch::tell_region(std::string_view what, const State& state,
                              std::span<const float> values) {
  for (const StateLayout::Slot& slot : state.layout().params) {
    const TensorType type{slot.shape};
    const auto* data = reinterpret_cast<const std::byte*>(values.data() + slot.offset);
    const ValueRange range = scan(type, data, 1, pool_).front();
    if (range.others == 0) continue;
    NonFiniteValue& found = found_.emplace();
    found.plan = "update";
    found.node = fmt::format("{} {}", what, slot.name);
    found.type = to_string(type);
    found.range = range;
    return found_one();
  }
}

void FiniteWatch::end_step(const State& state) {
  if (!found_) tell_region("the summed gradient of", state, state.grads());
  if (!found_) tell_region("the new value of", state, state.params());
  members_.clear();
}

void FiniteWatch::found_one() {
  if (step_ < 0) return;
  std::string samples;
  for (size_t i = 0; i < found_->samples.size() && i < 3; ++i) {
    samples += fmt::format("{}{}", i ? ", " : "", sample_name_(found_->samples[i]));
  }
  if (found_->samples.size() > 3) {
    samples += fmt::format(" and {} more", found_->samples.size() - 3);
  }
  raise(Fault::diverged, "step {}: {}{}{}; try: a lower --lr, or without --fp-exceptions", step_,
        found_->line(),
        samples.empty()        ? ""
        : found_->by_magnitude ? "; the largest inputs are of "
                               : "; of ",
        samples);
}

}  // namespace convoy
