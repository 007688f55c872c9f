// Goes forward through the nodes. Each op's `forms` column tells which storage types it wants for
// the offered inputs, and `infer` the types of its outputs. A value that is wanted in another type
// is cast once; all readers that want it use the same copy.

#include <algorithm>
#include <map>

#include "compile/passes/passes.h"
#include "graph/site.h"

namespace convoy {
namespace {

class StorageChoice {
 public:
  StorageChoice(Graph& graph, const Vocabulary& words) : graph_(graph), words_(words) {}

  void cast_inputs(Node& node) {
    const FormChoice choice = forms_of(node, types_of(node.in));
    for (size_t i = 0; i < node.in.size(); ++i) {
      node.in[i] = cast(node.in[i], choice.in[i].dtype, [&] { return position(node.id); });
    }
    const Types out = infer_types(node, types_of(node.in));
    for (size_t i = 0; i < out.size(); ++i) graph_.info(node.out[i]).type.dtype = out[i].dtype;
  }

  // From here on all readers use the rounded value.
  void store_in_bf16(Value v) {
    const ValueInfo& info = graph_.info(v);
    if (info.region != &regions::workspace || info.type.dtype != DType::f32) return;
    const std::vector<int> readers = graph_.readers(v);
    const bool is_output =
        std::ranges::find(graph_.outputs, v, &NamedValue::value) != graph_.outputs.end();
    if (readers.empty() && !is_output) return;
    const int maker = info.node;
    const Value stored = cast(v, DType::bf16, [&] { return position(maker) + 1; });
    for (const int id : readers) {
      for (Value& in : graph_.node(id).in) in = in == v ? stored : in;
    }
    for (NamedValue& output : graph_.outputs) {
      if (output.value == v) output.value = stored;
    }
  }

  // Results are read by name or by the optimizer, which expect fp32.
  void widen_results() {
    const auto widen = [&](Value& v) {
      if (v) v = cast(v, without_16_bit(graph_.type(v).dtype), [&] { return graph_.order.size(); });
    };
    for (NamedValue& output : graph_.outputs) widen(output.value);
    for (Param& p : graph_.params) widen(p.grad);
    for (Stat& s : graph_.stats) widen(s.batch);
  }

 private:
  Types types_of(const Values& values) const {
    Types types;
    for (const Value v : values) types.push_back(graph_.type(v));
    return types;
  }
  size_t position(int id) const {
    return static_cast<size_t>(std::ranges::find(graph_.order, id) - graph_.order.begin());
  }
  // `at`: where to insert the cast if it does not exist yet.
  template <class At>
  Value cast(Value v, DType type, const At& at) {
    if (graph_.type(v).dtype == type) return v;
    Value& copy = copies_[{v.id, type}];
    if (!copy) {
      Builder b(graph_, at());
      copy = words_.cast(b, v, type);
    }
    return copy;
  }

  Graph& graph_;
  const Vocabulary& words_;
  std::map<std::pair<int, DType>, Value> copies_;
};

}  // namespace

void choose_storage(Graph& graph, const Vocabulary& words,
                    const std::function<bool(const Graph&, Value)>& in_bf16) {
  const std::vector<int> order = graph.order;
  StorageChoice choice(graph, words);
  for (const int id : order) {
    Node& node = graph.node(id);
    if (!node.op->kernel) continue;  // values from outside keep their type
    choice.cast_inputs(node);
    if (!in_bf16) continue;
    for (const Value v : Values(node.out)) {
      if (in_bf16(graph, v)) choice.store_in_bf16(v);
    }
  }
  choice.widen_results();
}

}  // namespace convoy
