#include "graph/print.h"

#include <fmt/core.h>

namespace convoy {

std::string print(const Graph& graph) {
  std::string text;
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    std::string line;
    for (const Value v : node.out) {
      line += fmt::format("{}%{} {}", line.empty() ? "" : ", ", v.id, to_string(graph.type(v)));
    }
    line += fmt::format(" = {}", node.op->name);
    for (const Value v : node.in) line += v ? fmt::format(" %{}", v.id) : " -";
    if (node.op->describe) line += fmt::format(" {{{}}}", node.op->describe(node));
    if (!node.op->kernel) line += " " + node.name;
    text += line + "\n";
  }
  for (const NamedValue& output : graph.outputs)
    text += fmt::format("{} = %{}\n", output.name, output.value.id);
  for (const Param& p : graph.params) {
    if (p.grad) text += fmt::format("d {} = %{}\n", p.name, p.grad.id);
  }
  for (const Stat& s : graph.stats) {
    if (s.batch) text += fmt::format("batch {} = %{}\n", s.name, s.batch.id);
  }
  return text;
}

}  // namespace convoy
