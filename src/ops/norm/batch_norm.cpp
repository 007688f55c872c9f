// The nodes of batch norm, alone or fused with an addition and an activation. Their kernels are in
// batch_norm_kernels.cpp, the fusion rules in batch_norm_fusion.cpp.

#include "ops/norm/batch_norm.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/norm/batch_norm_fusion.h"
#include "ops/norm/batch_norm_kernels.h"
#include "ops/norm/norm_again.h"
#include "ops/norm/norm_planes.h"

namespace convoy::ops {
namespace {

std::string text(const BatchNormAttrs& a) {
  constexpr const char* acts[] = {"", " relu", " swish"};
  return fmt::format("eps {}{}{}{}", a.epsilon, a.residual ? " add" : "",
                     acts[static_cast<size_t>(a.act)], a.biased ? " biased" : "");
}

std::string describe(const Node& n) { return text(n.attrs<BatchNormAttrs>()); }

void check(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  if (in[0].shape.rank() != 4 || in[1].shape != Shape{in[0].shape[1]} ||
      in[2].shape != in[1].shape) {
    raise(Fault::usage, "batch norm of {} with scales {} makes no sense", to_string(in[0].shape),
          to_string(in[1].shape));
  }
}

Types infer_train(const Node& n, std::span<const TensorType> in) {
  check(n, in);
  const Shape& x = in[0].shape;
  expect(x[0] % n.attrs<BatchNormAttrs>().replicas == 0, "replicas divide the batch");
  return {{x, in[0].dtype},
          {{n.attrs<BatchNormAttrs>().replicas, 2, channel_vector(x[1])}},
          {{x[1]}},
          {{x[1]}}};
}

std::unique_ptr<Kernel> train_kernel(const Node& n, const KernelSite& site) {
  return batch_norm_train(n.attrs<BatchNormAttrs>(), site);
}

std::string describe_grad(const Node& n) {
  const BatchNormGradAttrs& a = n.attrs<BatchNormGradAttrs>();
  return text(a.forward) + (a.two ? " sum" : "") + (a.frozen ? " frozen" : "");
}

Types infer_grad(const Node& n, std::span<const TensorType> in) {
  const TensorType image{in[1].shape, in[1].dtype};
  Types out{image, {in[2].shape}, {in[3].shape}};
  if (n.attrs<BatchNormGradAttrs>().forward.residual) out.push_back(image);
  return out;
}

std::unique_ptr<Kernel> grad_kernel(const Node& n, const KernelSite& site) {
  return batch_norm_grad(n.attrs<BatchNormGradAttrs>(), site);
}

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const BatchNormAttrs& a = n.attrs<BatchNormAttrs>();
  const BatchNormGradAttrs attrs{a};
  Values in{d_out[0], n.in[0], n.in[1], n.in[2], n.out[1]};
  if (attrs.uses_y()) in.push_back(n.out[0]);
  return b.emit_all(batch_norm_grad_def, in, attrs);
}

Value again(Builder& b, const Node& n) {
  const BatchNormAttrs& a = n.attrs<BatchNormAttrs>();
  return norm_again(b, n.in[0], n.in[1], n.in[2], n.out[1], a.residual ? n.in[3] : Value{}, a.act);
}

Types infer_saved(const Node& n, std::span<const TensorType> in) {
  return {{{n.attrs<BatchNormAttrs>().replicas, 2, channel_vector(in[0].shape[0])}}};
}

std::unique_ptr<Kernel> saved_kernel(const Node& n, const KernelSite& site) {
  return batch_norm_saved(n.attrs<BatchNormAttrs>(), site);
}

const OpDef saved_def{
    .name = "batch_norm_saved", .infer = infer_saved, .kernel = saved_kernel, .describe = describe};

// The gradient of a norm that is trained with frozen statistics.
Values grad_of_frozen(Builder& b, const Node& n, std::span<const Value> d_out) {
  const BatchNormAttrs& a = n.attrs<BatchNormAttrs>();
  const BatchNormGradAttrs attrs{.forward = a, .frozen = true};
  const Value saved = b.emit(saved_def, {n.in[3], n.in[4]}, a);
  Values in{d_out[0], n.in[0], n.in[1], n.in[2], saved};
  if (attrs.uses_y()) in.push_back(n.out[0]);
  const Values d = b.emit_all(batch_norm_grad_def, in, attrs);
  Values all{d[0], d[1], d[2], {}, {}};
  if (a.residual) all.push_back(d[3]);
  return all;
}

Types infer_eval(const Node& n, std::span<const TensorType> in) {
  check(n, in);
  return {{in[0].shape, in[0].dtype}};
}

std::unique_ptr<Kernel> eval_kernel(const Node& n, const KernelSite& site) {
  return batch_norm_eval(n.attrs<BatchNormAttrs>(), site);
}

}  // namespace

const OpDef batch_norm_grad_def{.name = "batch_norm_grad",
                                .infer = infer_grad,
                                .kernel = grad_kernel,
                                .inplace_input = 0,
                                .forms = stored_as<blocked_images, 1>,
                                .narrowing = Narrowing::follows,
                                .describe = describe_grad};

const OpDef batch_norm_train_def{.name = "batch_norm",
                                 .infer = infer_train,
                                 .grad = grad,
                                 .kernel = train_kernel,
                                 .forms = stored_as<blocked_images>,
                                 .narrowing = Narrowing::follows,
                                 .describe = describe,
                                 .again = again};

const OpDef batch_norm_eval_def{.name = "batch_norm_eval",
                                .infer = infer_eval,
                                .grad = grad_of_frozen,
                                .kernel = eval_kernel,
                                .inplace_input = 0,
                                .forms = stored_as<blocked_images>,
                                .narrowing = Narrowing::follows,
                                .describe = describe};

Value batch_norm(Builder& b, Value x, const BatchNormVars& vars, const BatchNormOptions& options) {
  BatchNormAttrs attrs{options.epsilon};
  attrs.replicas = b.graph().replicas;
  if (!b.train())
    return b.emit(batch_norm_eval_def, {x, vars.gamma, vars.beta, vars.mean, vars.variance}, attrs);
  const Values out = b.emit_all(batch_norm_train_def, {x, vars.gamma, vars.beta}, attrs);
  b.feed(vars.mean, out[2]);
  b.feed(vars.variance, out[3]);
  return out[0];
}

void freeze_statistics(Graph& graph, const std::function<bool(const std::string& mean)>& freezes) {
  for (size_t at = 0; at < graph.order.size(); ++at) {
    const Node& norm = graph.node(graph.order[at]);
    if (norm.op != &batch_norm_train_def) continue;
    const auto fed_by = [&](Value batch) {
      return std::ranges::find(graph.stats, batch, &Stat::batch);
    };
    const auto mean = fed_by(norm.out[2]), variance = fed_by(norm.out[3]);
    expect(mean != graph.stats.end() && variance != graph.stats.end(), "a norm feeds statistics");
    if (!freezes(mean->name)) continue;
    Values in{norm.in[0], norm.in[1], norm.in[2], mean->value, variance->value};
    mean->batch = variance->batch = {};
    const Node& frozen = graph.add(batch_norm_eval_def, std::move(in), norm.attrs<BatchNormAttrs>(),
                                   norm.name, at++);
    graph.replace(norm.out[0], frozen.out[0]);
  }
}

void feed_biased_variances(Graph& graph) {
  for (const int id : graph.order) {
    Node& norm = graph.node(id);
    if (norm.op != &batch_norm_train_def) continue;
    BatchNormAttrs attrs = norm.attrs<BatchNormAttrs>();
    attrs.biased = true;
    norm.attributes = attrs;
  }
}

BatchNormOptions batch_norm_options(const Node& n) { return {n.attrs<BatchNormAttrs>().epsilon}; }

OpFamily batch_norm_ops() {
  return {.ops = {&batch_norm_train_def, &batch_norm_grad_def, &batch_norm_eval_def, &saved_def},
          .fusions = batch_norm_fusions()};
}

}  // namespace convoy::ops
