// Forward, each replica contributes mean and sum of squared deviations of its pixels; backward, two
// sums; all as f64. Each replica adds the contributions of its whole group itself, in a tree over
// their order in the group: the same bits in all of them, however the replicas are distributed over
// processes. Kernels, inputs and outputs: batch_norm_span_kernels.h.

#include "ops/norm/batch_norm_span.h"

#include <algorithm>

#include "base/error.h"
#include "ops/exchange.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/norm/batch_norm_fusion.h"
#include "ops/norm/batch_norm_span_kernels.h"
#include "ops/norm/norm_again.h"
#include "ops/norm/norm_planes.h"

namespace convoy::ops {
namespace {

// Two vectors over channels, padded to whole blocks.
TensorType sums_type(int64_t channels) { return {{2 * channel_vector(channels)}, DType::f64}; }

template <auto make>
std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite& site) {
  return make(n.attrs<SpanNormAttrs>(), site);
}

Types infer_sums(const Node&, std::span<const TensorType> in) {
  return {sums_type(in[0].shape[1])};
}

// As of batch_norm_train with one replica: y, saved, mean, variance.
Types infer_apply(const Node&, std::span<const TensorType> in) {
  const Shape& x = in[0].shape;
  return {{x, in[0].dtype}, {{1, 2, channel_vector(x[1])}}, {{x[1]}}, {{x[1]}}};
}

// The sums; with a residual also its gradient, which the second op reads in place of d_y.
Types infer_grad_sums(const Node& n, std::span<const TensorType> in) {
  Types out{sums_type(in[1].shape[1])};
  if (n.attrs<SpanNormAttrs>().norm.forward.residual) out.push_back({in[1].shape, in[1].dtype});
  return out;
}

Types infer_grad_apply(const Node&, std::span<const TensorType> in) {
  return {{in[1].shape, in[1].dtype}, {in[2].shape}, {in[3].shape}};
}

Value again(Builder& b, const Node& n) {
  const BatchNormAttrs& a = n.attrs<SpanNormAttrs>().norm.forward;
  return norm_again(b, n.in[0], n.in[1], n.in[2], n.out[1], a.residual ? n.in[5] : Value{}, a.act);
}

const OpDef sums_def{.name = "batch_norm_sums",
                     .infer = infer_sums,
                     .kernel = kernel<span_sums>,
                     .forms = stored_as<blocked_images>,
                     .narrowing = Narrowing::follows};
const OpDef apply_def{.name = "batch_norm_apply",
                      .infer = infer_apply,
                      .kernel = kernel<span_apply>,
                      .forms = stored_as<blocked_images>,
                      .narrowing = Narrowing::follows,
                      .again = again};
const OpDef grad_sums_def{.name = "batch_norm_grad_sums",
                          .infer = infer_grad_sums,
                          .kernel = kernel<span_grad_sums>,
                          .forms = stored_as<blocked_images, 1>,
                          .narrowing = Narrowing::follows};
const OpDef grad_apply_def{.name = "batch_norm_grad_apply",
                           .infer = infer_grad_apply,
                           .kernel = kernel<span_grad_apply>,
                           .inplace_input = 0,
                           .forms = stored_as<blocked_images, 1>,
                           .narrowing = Narrowing::follows};

// Writes new nodes at the position of the old one, which was removed from the order but stays valid
// in the graph.
struct Writer {
  Graph& graph;
  const Node& old;
  size_t at;
  int64_t span;
  int& exchange;  // the number of the next exchange; the same on all replicas

  Values add(const OpDef& op, Values in, std::any attrs) {
    return graph.add(op, std::move(in), std::move(attrs), old.name, at++).out;
  }
  // The gathered vectors of all replicas of the group, and the completion token (ops/exchange.h).
  std::pair<Value, Value> bring_together(Value mine) {
    const SpanAttrs attrs{exchange++, span};
    const Value all = add(span_begin_def, {mine}, attrs)[0];
    return {all, add(span_end_def, {all}, attrs)[0]};
  }
};

void spread_forward(Writer w) {
  const SpanNormAttrs attrs{{w.old.attrs<BatchNormAttrs>()}, w.span};
  expect(attrs.norm.forward.replicas == 1, "a plan of one replica");
  const Values in = w.old.in, old = w.old.out;
  const auto [all, token] = w.bring_together(w.add(sums_def, {in[0]}, attrs)[0]);
  Values apply{in[0], in[1], in[2], all, token};
  if (attrs.norm.forward.residual) apply.push_back(in[3]);
  const Values out = w.add(apply_def, apply, attrs);
  for (size_t i = 0; i < out.size(); ++i) w.graph.replace(old[i], out[i]);
}

void spread_gradient(Writer w) {
  const SpanNormAttrs attrs{w.old.attrs<BatchNormGradAttrs>(), w.span};
  const Values in = w.old.in, old = w.old.out;
  const Values sums = w.add(grad_sums_def, in, attrs);
  const auto [all, token] = w.bring_together(sums[0]);
  const bool residual = attrs.norm.forward.residual;
  Values apply{residual ? sums[1] : in[0], in[1], in[2], in[3], in[4], all, sums[0], token};
  if (attrs.norm.two && !residual) apply.push_back(in[5]);  // the second d_y; no y without residual
  const Values out = w.add(grad_apply_def, apply, attrs);
  for (size_t i = 0; i < out.size(); ++i) w.graph.replace(old[i], out[i]);
  if (residual) w.graph.replace(old[3], sums[1]);
}

}  // namespace

void insert_span_exchanges(Graph& graph, int64_t span) {
  int exchange = 0;
  const std::vector<int> before = graph.order;
  for (const int id : before) {
    const Node& node = graph.node(id);
    const bool forward = node.op == &batch_norm_train_def;
    if (!forward && node.op != &batch_norm_grad_def) continue;
    // Forward, frozen norms are another op (freeze_statistics).
    if (!forward && node.attrs<BatchNormGradAttrs>().frozen) continue;
    const auto place = std::ranges::find(graph.order, id);
    const auto at = static_cast<size_t>(place - graph.order.begin());
    graph.order.erase(place);
    const Writer writer{graph, node, at, span, exchange};
    forward ? spread_forward(writer) : spread_gradient(writer);
  }
}

OpFamily batch_norm_span_ops() {
  return {.ops = {&sums_def, &apply_def, &grad_sums_def, &grad_apply_def}};
}

}  // namespace convoy::ops
