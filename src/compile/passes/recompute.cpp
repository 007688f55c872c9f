// Goes through the backward pass. Where a node reads a value that is not kept, the nodes that make
// it are written before it once more, back to values that are kept or have been made again already.

#include <algorithm>

#include "base/error.h"
#include "compile/passes/passes.h"
#include "compile/passes/recompute_choice.h"

namespace convoy {
namespace {

class Rewriter {
 public:
  Rewriter(Graph& graph, const RecomputeChoice& choice)
      : graph_(graph), choice_(choice), made_(choice.again.size()) {}

  void run(int turn) {
    const std::vector<int> before = graph_.order;
    order_.assign(before.begin(), before.begin() + turn);
    for (size_t at = static_cast<size_t>(turn); at < before.size(); ++at) {
      Node& node = graph_.node(before[at]);
      brief_.clear();
      const Values read = node.in;
      for (Value& v : node.in) v = again(v);
      order_.push_back(node.id);
      for (const Value v : brief_) {
        if (std::ranges::find(read, v) == read.end()) made_[static_cast<size_t>(v.id)] = {};
      }
    }
    graph_.order = std::move(order_);
  }

 private:
  bool is_again(Value v) const {
    return static_cast<size_t>(v.id) < choice_.again.size() &&
           choice_.again[static_cast<size_t>(v.id)];
  }

  // The value, or its copy if it is not kept.
  Value again(Value v) {
    if (!is_again(v)) return v;
    if (!made_[static_cast<size_t>(v.id)]) make(graph_.info(v).node);
    return made_[static_cast<size_t>(v.id)];
  }

  void make(int id) {
    const Node old = graph_.node(id);  // a copy: nodes are added
    const size_t end = graph_.order.size();
    int copy;
    if (old.op->again) {
      Builder b(graph_);
      copy = graph_.info(old.op->again(b, old)).node;
    } else {
      copy = graph_.add(*old.op, old.in, old.attributes, {}, end).id;
    }
    graph_.order.resize(end);  // its place is in `order_`
    Node& node = graph_.node(copy);
    node.name = old.name + ".again";
    node.stores = old.stores;
    node.again_of = id;
    for (Value& in : node.in) in = again(in);
    for (size_t i = 0; i < node.out.size(); ++i) {
      const Value was = old.out[i];
      graph_.info(node.out[i]).type = graph_.type(was);
      if (!is_again(was)) continue;
      made_[static_cast<size_t>(was.id)] = node.out[i];
      if (choice_.brief[static_cast<size_t>(was.id)]) brief_.push_back(was);
    }
    order_.push_back(copy);
  }

  Graph& graph_;
  const RecomputeChoice& choice_;
  std::vector<Value> made_;  // by value id: its copy
  Values brief_;             // made since the last node of the backward pass
  std::vector<int> order_;
};

}  // namespace

void recompute(Graph& graph, const RecomputeRule& rule) {
  if (rule.mode == Recompute::off) return;
  const Activations activations(graph);
  if (activations.turn == static_cast<int>(graph.order.size())) return;
  std::vector<int> points;
  const std::vector<std::string> names = blocks_of_segments(graph, activations);
  for (const std::string& name : rule.points) {
    const auto found = std::ranges::find(names, name);
    expect(found != names.end(), "a point of compile/split_points.h");
    points.push_back(static_cast<int>(found - names.begin()));
  }
  Rewriter(graph, choose_recompute(activations, rule, points)).run(activations.turn);
}

}  // namespace convoy
