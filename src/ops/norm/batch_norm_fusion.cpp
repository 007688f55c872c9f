// Fuses batch norm with its neighbours: an addition, an activation, the sum of two gradients.

#include "ops/norm/batch_norm_fusion.h"

#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/fusion.h"
#include "ops/norm/batch_norm_kernels.h"

namespace convoy::ops {
namespace {

using kernels::NormAct;

bool is_norm(const Node& n) {
  return n.op == &batch_norm_train_def || n.op == &batch_norm_eval_def;
}

// A norm without fused nodes, whose result has a single reader.
bool can_absorb(const Graph& graph, Value v) {
  const Node& n = graph.producer(v);
  return is_norm(n) && v == n.out[0] && n.attrs<BatchNormAttrs>().act == NormAct::none &&
         !n.attrs<BatchNormAttrs>().residual && only_reader(graph, v);
}

// Replaces `reader`, which read a norm, by that norm with other attributes and perhaps one more
// input.
void absorb(Graph& graph, const Node& reader, const Node& norm, const BatchNormAttrs& attrs,
            Values in) {
  const Values old = norm.out;
  const Value result = reader.out[0];
  Node& fused = graph.add(*norm.op, std::move(in), attrs, norm.name, position(graph, reader.id));
  for (size_t i = 1; i < old.size(); ++i) graph.replace(old[i], fused.out[i]);
  graph.replace(result, fused.out[0]);
}

// relu(norm(x)) -> norm{relu}, swish(norm(x)) -> norm{swish}; a swish after a sum is not fused.
bool fuse_activation(Graph& graph, Node& reader) {
  const bool swish = reader.op == &swish_def;
  if (reader.op != &relu_def && !swish) return false;
  const Value y = reader.in[0];
  const Node& norm = graph.producer(y);
  if (!is_norm(norm) || y != norm.out[0] || !only_reader(graph, y)) return false;
  BatchNormAttrs attrs = norm.attrs<BatchNormAttrs>();
  if (attrs.act != NormAct::none || (swish && attrs.residual)) return false;
  attrs.act = swish ? NormAct::swish : NormAct::relu;
  absorb(graph, reader, norm, attrs, norm.in);
  return true;
}

// add(norm(x), r) -> norm{add}
bool fuse_add(Graph& graph, Node& add) {
  if (add.op != &add_def || add.in[0] == add.in[1]) return false;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    if (!can_absorb(graph, add.in[side])) continue;
    const Node& norm = graph.producer(add.in[side]);
    BatchNormAttrs attrs = norm.attrs<BatchNormAttrs>();
    attrs.residual = true;
    Values in = norm.in;
    in.push_back(add.in[1 - side]);
    absorb(graph, add, norm, attrs, in);
    return true;
  }
  return false;
}

// norm_grad(add(a, b)) -> norm_grad{sum}(a, b): computes the sum of two gradients on the fly.
bool fuse_grad_sum(Graph& graph, Node& norm) {
  if (norm.op != &batch_norm_grad_def || norm.attrs<BatchNormGradAttrs>().two) return false;
  const Node& add = graph.producer(norm.in[0]);
  if (add.op != &add_def || !only_reader(graph, norm.in[0])) return false;
  BatchNormGradAttrs attrs = norm.attrs<BatchNormGradAttrs>();
  attrs.two = true;
  Values in = norm.in;
  in[0] = add.in[0];
  in.push_back(add.in[1]);
  const Values old = norm.out;
  const Node& fused =
      graph.add(batch_norm_grad_def, in, attrs, norm.name, position(graph, norm.id));
  for (size_t i = 0; i < old.size(); ++i) graph.replace(old[i], fused.out[i]);
  return true;
}

}  // namespace

std::vector<FusionRule> batch_norm_fusions() {
  using Stage = FusionRule::Stage;
  return {{"batch_norm_add", Stage::forward, fuse_add},
          {"batch_norm_activation", Stage::forward, fuse_activation},
          {"batch_norm_grad_sum", Stage::gradients, fuse_grad_sum}};
}

}  // namespace convoy::ops
