#include "graph/verify.h"

#include "base/error.h"
#include "graph/site.h"

namespace convoy {

void verify(const Graph& graph, std::string_view after) {
  const auto check = [&](bool truth, std::string_view what, const std::string& where) {
    if (!truth) raise(Fault::bug, "internal error: after {}: {} at '{}'", after, what, where);
  };
  std::vector<bool> made(static_cast<size_t>(graph.value_count()), false);
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    Types in;
    for (const Value v : node.in) {
      check(v && v.id < graph.value_count(), "an input that does not exist", node.name);
      check(made[static_cast<size_t>(v.id)], "a value is read before it is made", node.name);
      in.push_back(graph.type(v));
    }
    for (const Value v : node.out)
      check(!made[static_cast<size_t>(v.id)], "a value is made twice", node.name);
    const Types out = infer_types(node, in);
    check(out.size() == node.out.size(), "the wrong number of outputs", node.name);
    for (size_t i = 0; i < out.size(); ++i) {
      const TensorType& have = graph.type(node.out[i]);
      check(have.shape == out[i].shape && have.dtype == out[i].dtype,
            "an output type that does not follow from the inputs", node.name);
      check(have.layout == Layout::plain || have.shape.rank() == 4, "a blocked layout needs rank 4",
            node.name);
      made[static_cast<size_t>(node.out[i].id)] = true;
    }
  }
  for (const Value v : graph.results()) {
    check(made[static_cast<size_t>(v.id)], "a result that no node computes",
          graph.producer(v).name);
  }
}

}  // namespace convoy
