// Goes forward through the nodes; each op's `forms` column tells which layouts it wants for the
// offered inputs. A value that is wanted in another layout is reordered once; all readers that want
// it use the same copy.

#include <map>

#include "compile/passes/passes.h"
#include "graph/site.h"

namespace convoy {

void choose_layouts(Graph& graph, const Vocabulary& words) {
  const std::vector<int> order = graph.order;
  std::map<std::pair<int, Layout>, Value> copies;
  for (const int id : order) {
    Node& node = graph.node(id);
    Types offered;
    for (const Value v : node.in) offered.push_back(graph.type(v));
    const FormChoice choice = forms_of(node, offered);
    for (size_t i = 0; i < node.in.size(); ++i) {
      const Layout wanted = choice.in[i].layout;
      if (offered[i].layout == wanted) continue;
      Value& copy = copies[{node.in[i].id, wanted}];
      if (!copy) {
        size_t at = 0;
        while (graph.order[at] != id) ++at;
        Builder b(graph, at);
        copy = words.reorder(b, node.in[i], wanted);
        graph.info(copy).type.layout = wanted;
      }
      node.in[i] = copy;
    }
    for (size_t i = 0; i < node.out.size(); ++i) {
      graph.info(node.out[i]).type.layout = choice.out[i];
    }
  }
  // Results are read by name or by the optimizer, which expect plain memory.
  const auto plain = [&](Value& v) {
    if (!v || graph.type(v).layout == Layout::plain) return;
    Value& copy = copies[{v.id, Layout::plain}];
    if (!copy) {
      Builder b(graph);
      copy = words.reorder(b, v, Layout::plain);
    }
    v = copy;
  };
  for (NamedValue& output : graph.outputs) plain(output.value);
  for (Param& p : graph.params) plain(p.grad);
  for (Stat& s : graph.stats) plain(s.batch);
}

}  // namespace convoy
