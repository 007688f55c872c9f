// Reverse-mode differentiation on the graph: goes through the nodes backwards, calls each op's
// `grad` column for the gradients of its inputs, and sums them if a value has several readers.

#include "base/error.h"
#include "compile/passes/passes.h"

namespace convoy {
namespace {

// For each value: whether it depends on a trained parameter, so that its gradient is needed.
std::vector<bool> leads_to_params(const Graph& graph) {
  std::vector<bool> wanted(static_cast<size_t>(graph.value_count()), false);
  for (const Param& p : graph.params) wanted[static_cast<size_t>(p.value.id)] = p.rate != 0;
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    if (node.op == &param_op) continue;
    bool any = false;
    for (const Value v : node.in) any = any || wanted[static_cast<size_t>(v.id)];
    for (const Value v : node.out) wanted[static_cast<size_t>(v.id)] = any;
  }
  return wanted;
}

// The scope in which the node was written, so that its gradients are found by the same names.
std::string scope_of(const Node& node) {
  const size_t end = node.name.rfind('.');
  return end == node.name.npos ? "" : node.name.substr(0, end);
}

}  // namespace

void add_gradients(Graph& graph, const std::vector<Loss>& losses, Value loss_scale,
                   const Vocabulary& words) {
  const std::vector<bool> wanted = leads_to_params(graph);
  const std::vector<int> forward = graph.order;
  std::vector<Value> grads(static_cast<size_t>(graph.value_count()));
  Builder b(graph);
  b.set_wanted(&wanted);

  const auto contribute = [&](Value v, Value d) {
    Value& sum = grads[static_cast<size_t>(v.id)];
    sum = sum ? words.sum(b, sum, d) : d;
  };
  for (const Loss& loss : losses) {
    contribute(loss.per_sample, words.loss_seed(b, loss.per_sample, loss_scale, loss.weight));
  }
  for (auto id = forward.rbegin(); id != forward.rend(); ++id) {
    const Node node = graph.node(*id);  // a copy: `grad` adds nodes to the graph
    if (!node.op->grad) continue;
    Values d_out;
    bool any = false;
    for (const Value v : node.out) {
      d_out.push_back(grads[static_cast<size_t>(v.id)]);
      any = any || d_out.back();
    }
    if (!any || !wanted[static_cast<size_t>(node.out[0].id)]) continue;
    const auto scope = b.scope(scope_of(node));
    const Values d_in = node.op->grad(b, node, d_out);
    expect(d_in.size() == node.in.size(), "a gradient for every input");
    for (size_t i = 0; i < d_in.size(); ++i) {
      if (d_in[i] && wanted[static_cast<size_t>(node.in[i].id)]) contribute(node.in[i], d_in[i]);
    }
  }
  // Each gradient is written directly into the state: if two parameters have the same gradient
  // (both terms of a sum), one needs a copy.
  std::vector<bool> taken(static_cast<size_t>(graph.value_count()), false);
  for (Param& p : graph.params) {
    if (p.rate == 0) continue;
    p.grad = grads[static_cast<size_t>(p.value.id)];
    if (!p.grad) {
      raise(Fault::bug, "internal error: the loss does not depend on the parameter {}", p.name);
    }
    const auto id = static_cast<size_t>(p.grad.id);
    if (taken[id]) p.grad = words.copy(b, p.grad);
    taken[id] = true;
  }
}

}  // namespace convoy
