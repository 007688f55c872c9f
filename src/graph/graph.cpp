#include "graph/graph.h"

#include <algorithm>

#include "base/error.h"
#include "graph/site.h"

namespace convoy {

Node& Graph::add(const OpDef& op, Values in, std::any attributes, std::string name, size_t at) {
  Types types;
  for (const Value v : in) {
    expect(v && v.id < value_count(), "an op reads values of its own graph");
    types.push_back(type(v));
  }
  const int id = static_cast<int>(nodes_.size());
  Node made{id, &op, std::move(in), {}, std::move(attributes), std::move(name)};
  const Types inferred = infer_types(made, types);  // may throw, while the graph is still unchanged
  Node& node = nodes_.emplace_back(std::move(made));
  int index = 0;
  for (const TensorType& type : inferred) {
    node.out.push_back({value_count()});
    values_.push_back({.type = type, .node = id, .index = index++});
  }
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), id);
  return node;
}

std::vector<int> Graph::readers(Value v) const {
  std::vector<int> found;
  for (const int id : order) {
    const Values& in = node(id).in;
    if (std::find(in.begin(), in.end(), v) != in.end()) found.push_back(id);
  }
  return found;
}

void Graph::replace(Value from, Value to) {
  for (const int id : order) {
    for (Value& v : node(id).in) {
      if (v == from) v = to;
    }
  }
  for (NamedValue& output : outputs) {
    if (output.value == from) output.value = to;
  }
  for (Param& p : params) {
    if (p.grad == from) p.grad = to;
  }
  for (Stat& s : stats) {
    if (s.batch == from) s.batch = to;
  }
}

Values Graph::results() const {
  Values all;
  for (const NamedValue& output : outputs) all.push_back(output.value);
  for (const Param& p : params) {
    if (p.grad) all.push_back(p.grad);
  }
  for (const Stat& s : stats) {
    if (s.batch) all.push_back(s.batch);
  }
  return all;
}

bool Graph::is_result(Value v) const {
  const Values all = results();
  return std::find(all.begin(), all.end(), v) != all.end();
}

}  // namespace convoy
