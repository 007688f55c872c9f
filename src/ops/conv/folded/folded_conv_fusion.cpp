// convolution, bias, batch norm with what is fused into it, addition, activation -> one node. Batch
// norms come with their additions and activations: fusion of stage `forward` ran before.

#include <optional>

#include "ops/conv/folded/folded_conv.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/bias.h"
#include "ops/fusion.h"
#include "ops/norm/batch_norm_fusion.h"
#include "ops/norm/batch_norm_kernels.h"

namespace convoy::ops {
namespace {

using Act = onednn::ConvTail::Act;

// A convolution, or what has been made of it, whose result only one node reads.
struct Found {
  const Node* node;
  FoldedConvAttrs attrs;
  Values added, bias, norm;  // its inputs behind x and w

  Values in() const {
    Values all{node->in[0], node->in[1]};
    for (const Values* list : {&added, &bias, &norm}) {
      all.insert(all.end(), list->begin(), list->end());
    }
    return all;
  }
};

std::optional<Found> conv_before(const Graph& graph, Value v) {
  const Node& n = graph.producer(v);
  if (!only_reader(graph, v)) return {};
  if (n.op == &convolution_def) return Found{&n, {.conv = n.attrs<ConvAttrs>()}, {}, {}, {}};
  if (!folded_conv(n)) return {};
  Found found{&n, n.attrs<FoldedConvAttrs>(), {}, {}, {}};
  auto next = n.in.begin() + 2;
  if (found.attrs.adds) found.added = {*next++};
  if (found.attrs.bias) found.bias = {*next++};
  found.norm.assign(next, n.in.end());
  return found;
}

// A convolution with at most a bias.
bool is_bare(const FoldedConvAttrs& a) { return !a.norm && !a.adds && a.act == Act::none; }

bool put(Graph& graph, const Node& reader, const Found& found) {
  const OpDef& def = found.attrs.adds ? adding_folded_conv_def : folded_conv_def;
  const Node& made =
      graph.add(def, found.in(), found.attrs, found.node->name, position(graph, reader.id));
  graph.replace(reader.out[0], made.out[0]);
  return true;
}

bool fold_bias(Graph& graph, Node& n) {
  if (n.op != &add_bias_def) return false;
  auto found = conv_before(graph, n.in[0]);
  if (!found || found->node->op != &convolution_def) return false;
  found->attrs.bias = true;
  found->bias = {n.in[1]};
  return put(graph, n, *found);
}

bool fold_norm(Graph& graph, Node& n) {
  if (n.op != &batch_norm_eval_def) return false;
  auto found = conv_before(graph, n.in[0]);
  const auto& norm = n.attrs<BatchNormAttrs>();
  if (!found || !is_bare(found->attrs)) return false;
  FoldedConvAttrs& a = found->attrs;
  if (norm.residual && a.conv.groups > 1) return false;
  a.norm = true;
  a.epsilon = norm.epsilon;
  a.adds = norm.residual;
  a.act = norm.act == kernels::NormAct::relu    ? Act::relu
          : norm.act == kernels::NormAct::swish ? Act::swish
                                                : Act::none;
  found->norm.assign(n.in.begin() + 1, n.in.begin() + 5);
  if (a.adds) found->added = {n.in[5]};
  return put(graph, n, *found);
}

bool fold_add(Graph& graph, Node& n) {
  if (n.op != &add_def || n.in[0] == n.in[1]) return false;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    auto found = conv_before(graph, n.in[side]);
    if (!found || found->attrs.adds || found->attrs.act != Act::none) continue;
    if (found->attrs.conv.groups > 1) continue;
    found->attrs.adds = true;
    found->added = {n.in[1 - side]};
    return put(graph, n, *found);
  }
  return false;
}

bool fold_activation(Graph& graph, Node& n) {
  if (n.op != &relu_def && n.op != &swish_def) return false;
  auto found = conv_before(graph, n.in[0]);
  if (!found || found->attrs.act != Act::none) return false;
  found->attrs.act = n.op == &relu_def ? Act::relu : Act::swish;
  return put(graph, n, *found);
}

}  // namespace

std::vector<FusionRule> folded_conv_fusions() {
  constexpr auto stage = FusionRule::Stage::inference;
  return {{"fold_bias", stage, fold_bias},
          {"fold_norm", stage, fold_norm},
          {"fold_add", stage, fold_add},
          {"fold_activation", stage, fold_activation}};
}

}  // namespace convoy::ops
