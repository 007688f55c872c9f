#include "graph/site.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {

void KernelSite::check(const Types& list, int i, DType knows, std::string_view what) const {
  if (i < 0 || i >= std::ssize(list))
    raise(Fault::bug, "internal error: the kernel of '{}' has no {} {}", op, what, i);
  const TensorType& type = list[static_cast<size_t>(i)];
  if (type.dtype == knows) return;
  raise(Fault::bug, "internal error: the kernel of '{}' knows {} as {} {}, which is {}", op,
        name(knows), what, i, to_string(type));
}

FormChoice forms_of(const Node& node, std::span<const TensorType> offered) {
  if (node.op->forms) {
    FormChoice choice = node.op->forms(node, offered);
    expect(choice.in.size() == offered.size(), "a form for every input");
    return choice;
  }
  FormChoice choice;
  for (const TensorType& t : offered) choice.in.push_back({Layout::plain, without_16_bit(t.dtype)});
  choice.out.resize(node.out.size(), Layout::plain);
  return choice;
}

Types infer_types(const Node& node, std::span<const TensorType> in) {
  Types out = node.op->infer(node, in);
  const auto narrow = [](const TensorType& t) { return is_narrow(t.dtype); };
  if (std::ranges::none_of(in, narrow)) return out;
  const FormChoice wants = forms_of(node, in);
  for (size_t i = 0; i < in.size(); ++i) {
    if (wants.in[i].dtype == in[i].dtype) continue;
    raise(Fault::usage, "{} needs {} as input {}, not {}; try: a cast before it", node.op->name,
          name(wants.in[i].dtype), i, to_string(in[i]));
  }
  return out;
}

KernelSite site_of(const Graph& graph, const Node& node) {
  KernelSite site{.in = {},
                  .out = {},
                  .replicas = graph.replicas,
                  .choices = graph.choices,
                  .op = node.op->name};
  for (const Value v : node.in) site.in.push_back(graph.type(v));
  for (const Value v : node.out) site.out.push_back(graph.type(v));
  return site;
}

NodeCost cost_of(const Graph& graph, const Node& node) {
  const KernelSite site = site_of(graph, node);
  NodeCost cost;
  if (node.op->collective) return cost;
  if (node.op->flops) cost.flops = node.op->flops(node, site);
  for (const Types* list : {&site.in, &site.out}) {
    for (const TensorType& type : *list) cost.bytes += static_cast<double>(stored_bytes(type));
  }
  return cost;
}

std::string shape_text(const Graph& graph, const Node& node) {
  std::string text = to_string(graph.type(node.in.empty() ? node.out[0] : node.in[0]).shape);
  if (node.op->describe) text += " " + node.op->describe(node);
  return text;
}

}  // namespace convoy
