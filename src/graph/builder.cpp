#include "graph/builder.h"

#include "base/error.h"

namespace convoy {
namespace {

Types given(const Node& n, std::span<const TensorType>) { return {n.attrs<TensorType>()}; }

}  // namespace

const OpDef input_op{.name = "input", .infer = given};
const OpDef param_op{.name = "param", .infer = given};
const OpDef stat_op{.name = "stat", .infer = given};
const OpDef view_op{.name = "view", .infer = given};

Node& Builder::add(const OpDef& op, Values in, std::any attrs) {
  Node& node = graph_.add(op, std::move(in), std::move(attrs), scope_ + std::string(op.name), at_);
  ++at_;  // only if the op accepted its inputs
  return node;
}

Value Builder::input(std::string name, TensorType type) {
  Node& node = add(input_op, {}, type);
  node.name = name;
  ValueInfo& info = graph_.info(node.out[0]);
  info.region = &regions::input;
  info.slot = static_cast<int>(graph_.inputs.size());
  graph_.inputs.push_back({std::move(name), node.out[0]});
  return node.out[0];
}

Value Builder::param(std::string_view name, Shape shape, Init init, bool decay) {
  Node& node = add(param_op, {}, TensorType{shape});
  node.name = scope_ + std::string(name);
  ValueInfo& info = graph_.info(node.out[0]);
  info.region = &regions::params;
  info.slot = static_cast<int>(graph_.params.size());
  graph_.params.push_back({.name = node.name,
                           .shape = shape,
                           .init = init,
                           .decay = decay,
                           .value = node.out[0],
                           .grad = {}});
  return node.out[0];
}

Value Builder::stat(std::string_view name, Shape shape, float start) {
  Node& node = add(stat_op, {}, TensorType{shape});
  node.name = scope_ + std::string(name);
  ValueInfo& info = graph_.info(node.out[0]);
  info.region = &regions::stats;
  info.slot = static_cast<int>(graph_.stats.size());
  graph_.stats.push_back({node.name, shape, start, node.out[0], {}});
  return node.out[0];
}

void Builder::feed(Value stat, Value batch) {
  const ValueInfo& info = graph_.info(stat);
  expect(info.region == &regions::stats, "only a statistic can be fed");
  graph_.stats[static_cast<size_t>(info.slot)].batch = batch;
}

Value Builder::view(const Region& region, int64_t floats, int buffer) {
  Node& node = add(view_op, {}, TensorType{{floats}});
  ValueInfo& info = graph_.info(node.out[0]);
  info.region = &region;
  info.slot = buffer;
  return node.out[0];
}

void Builder::output(std::string name, Value v) { graph_.outputs.push_back({std::move(name), v}); }

Value Builder::exposed(std::string_view name) const {
  for (const NamedValue& one : exposed_) {
    if (one.name == name) return one.value;
  }
  return {};
}

Builder::Scope::Scope(Builder& b, std::string_view name) : builder_(b), length_(b.scope_.size()) {
  if (name.empty()) return;
  b.scope_ += name;
  b.scope_ += '.';
}

}  // namespace convoy
