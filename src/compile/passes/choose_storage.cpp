// Goes forward through the nodes. The rules say whether a node reads and writes bf16, its `forms`
// which of its inputs it can read so, and `infer` the types of its outputs. A value that is wanted
// in another type is cast once; all readers that want it use the same copy. Where the op that
// makes a value can store it in the wanted type itself, it does, and there is no cast.

#include <algorithm>
#include <map>
#include <set>

#include "compile/passes/passes.h"
#include "graph/site.h"

namespace convoy {
namespace {

class StorageChoice {
 public:
  StorageChoice(Graph& graph, const Vocabulary& words, const StorageRules& rules)
      : graph_(graph), words_(words), rules_(rules) {
    const auto is_narrow_value = [&](Value v) { return is_narrow(graph_.type(v).dtype); };
    for (const int id : graph_.order) {
      const Node& node = graph_.node(id);
      if (std::ranges::any_of(node.in, is_narrow_value) ||
          std::ranges::any_of(node.out, is_narrow_value)) {
        written_narrow_.insert(id);
      }
    }
  }

  void choose_for(Node& node) {
    const FormChoice choice = forms_of(node, offers(node));
    for (size_t i = 0; i < node.in.size(); ++i) {
      node.in[i] = cast(node.in[i], choice.in[i].dtype, [&] { return position(node.id); });
    }
    const Types out = infer_types(node, types_of(node.in));
    for (size_t i = 0; i < out.size(); ++i) graph_.info(node.out[i]).type.dtype = out[i].dtype;
    const auto reads_bf16 = [](const Form& form) { return is_narrow(form.dtype); };
    if (rules_.of(node) == Narrowing::always && std::ranges::none_of(choice.in, reads_bf16)) {
      for (const Value v : Values(node.out)) round(v);
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

  // A value that only a cast reads is stored in its type right away, if its maker can.
  void absorb_casts() {
    for (const auto& [key, copy] : copies_) {
      const auto& [id, type] = key;
      const Value value{id};
      if (!can_store(value, type)) continue;
      Node& maker = graph_.node(graph_.info(value).node);
      std::erase(graph_.order, graph_.info(copy).node);
      maker.stores = type;
      graph_.info(value).type.dtype = type;
      graph_.replace(copy, value);
    }
  }

 private:
  // All readers use the rounded value.
  void round(Value v) {
    const std::vector<int> readers = graph_.readers(v);
    if (graph_.type(v).dtype != DType::f32 || readers.empty() || graph_.is_result(v)) return;
    const int maker = graph_.info(v).node;
    const Value rounded = cast(v, rules_.narrow, [&] { return position(maker) + 1; });
    for (const int id : readers) {
      for (Value& in : graph_.node(id).in) in = in == v ? rounded : in;
    }
  }

  Types types_of(const Values& values) const {
    Types types;
    for (const Value v : values) types.push_back(graph_.type(v));
    return types;
  }

  // The types that the node's `forms` are asked about: as they are, all widened, or all narrowed.
  Types offers(const Node& node) const {
    Types types = types_of(node.in);
    const auto change = [&](DType from, DType to) {
      for (TensorType& type : types) {
        if (type.dtype == from) type.dtype = to;
      }
    };
    if (written_narrow_.contains(node.id)) return types;
    switch (const Narrowing narrowing = rules_.of(node)) {
      case Narrowing::never:
        change(rules_.narrow, DType::f32);
        break;
      case Narrowing::follows:
        break;
      case Narrowing::any:
      case Narrowing::all:
        if (narrows(node, narrowing)) {
          change(DType::f32, rules_.narrow);
        } else {
          change(rules_.narrow, DType::f32);
        }
        break;
      case Narrowing::always:
        change(DType::f32, rules_.narrow);
    }
    return types;
  }

  // Whether one, or each, of the inputs that the node can read in bf16 is stored so.
  bool narrows(const Node& node, Narrowing narrowing) const {
    const Types have = types_of(node.in);
    Types narrow = have;
    for (TensorType& type : narrow) {
      if (type.dtype == DType::f32) type.dtype = rules_.narrow;
    }
    const FormChoice choice = forms_of(node, narrow);
    int can = 0, are = 0;
    for (size_t i = 0; i < have.size(); ++i) {
      if (choice.in[i].dtype != rules_.narrow) continue;
      ++can;
      are += have[i].dtype == rules_.narrow;
    }
    return narrowing == Narrowing::any ? are > 0 : can > 0 && are == can;
  }

  bool can_store(Value v, DType type) const {
    const Node& maker = graph_.producer(v);
    return is_narrow(type) && maker.op->chooses_storage && v == maker.out[0] &&
           graph_.readers(v).size() == 1 && !graph_.is_result(v);
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
  const StorageRules& rules_;
  // Nodes that the graph was written with in 16 bits; they stay so. By node.
  std::set<int> written_narrow_;
  std::map<std::pair<int, DType>, Value> copies_;
};

}  // namespace

void choose_storage(Graph& graph, const Vocabulary& words, const StorageRules& rules) {
  const std::vector<int> order = graph.order;
  StorageChoice choice(graph, words, rules);
  for (const int id : order) {
    Node& node = graph.node(id);
    if (node.op->kernel) choice.choose_for(node);  // values from outside keep their type
  }
  choice.widen_results();
  choice.absorb_casts();
  drop_dead_nodes(graph);  // casts that the graph was written with and that are not read any more
}

}  // namespace convoy
