// Softmax cross-entropy from logits, with label smoothing; one row per sample, in double.

#include "ops/loss/cross_entropy.h"

#include <cmath>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/loss/loss_rows.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

void check(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in.first(1));
  if (in[0].shape.rank() != 2 || in[1].shape != Shape{in[0].shape[0]} ||
      in[1].dtype != DType::s32) {
    raise(Fault::usage, "labels {} do not fit logits {}", to_string(in[1]), to_string(in[0]));
  }
}

Types infer(const Node& n, std::span<const TensorType> in) {
  check(n, in);
  return {{{in[0].shape[0]}}};
}

std::unique_ptr<Kernel> forward(const Node& n, const KernelSite& site) {
  const Targets t = targets(n.attrs<CrossEntropyOptions>(), site.in[0].shape[1]);
  const auto labels = site.input<int32_t>(1);
  const auto y = site.output<float>(0);
  return each_loss_row(site, [=](const LossRow& r) {
    const int32_t label = checked_label(labels(r.args), r.sample, r.classes);
    // -sum_k target_k (logit_k - top - log_sum); the targets sum to 1.
    double loss = r.lse.log_sum + (t.hit - t.miss) * (r.lse.top - r.logits[label]);
    if (t.miss > 0) {
      for (int64_t k = 0; k < r.classes; ++k) loss += t.miss * (r.lse.top - r.logits[k]);
    }
    y(r.args)[r.sample] = static_cast<float>(loss);
  });
}

// in: logits, label, d_loss [n]; out: d_logits
Types infer_grad(const Node&, std::span<const TensorType> in) { return {{in[0].shape}}; }

std::unique_ptr<Kernel> backward(const Node& n, const KernelSite& site) {
  const Targets t = targets(n.attrs<CrossEntropyOptions>(), site.in[0].shape[1]);
  const auto labels = site.input<int32_t>(1);
  const auto d_loss = site.input<float>(2);
  const auto d_logits = site.output<float>(0);
  return each_loss_row(site, [=](const LossRow& r) {
    const int32_t label = checked_label(labels(r.args), r.sample, r.classes);
    const double d = d_loss(r.args)[r.sample];
    float* out = d_logits(r.args) + r.sample * r.classes;
    for (int64_t k = 0; k < r.classes; ++k) {
      const double p = std::exp(r.logits[k] - r.lse.top - r.lse.log_sum);
      out[k] = static_cast<float>(d * (p - (k == label ? t.hit : t.miss)));
    }
  });
}

const OpDef grad_def{.name = "softmax_cross_entropy_grad",
                     .infer = infer_grad,
                     .kernel = backward,
                     .inplace_input = 0};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {b.emit(grad_def, {n.in[0], n.in[1], d_out[0]}, n.attrs<CrossEntropyOptions>()), {}};
}

const OpDef cross_entropy_def{
    .name = "softmax_cross_entropy", .infer = infer, .grad = grad, .kernel = forward};

std::unique_ptr<Kernel> rank_kernel(const Node&, const KernelSite& site) {
  const int64_t classes = site.in[0].shape[1];
  const Chunks rows = by_rows(site.in[0].shape[0]);
  const auto logits = site.input<float>(0);
  const auto labels = site.input<int32_t>(1);
  const auto rank = site.output<float>(0);
  return one_phase(rows.tasks(), [=](int task, const KernelArgs& args) {
    for (int64_t i = rows.begin(task); i < rows.begin(task) + rows.length(task); ++i) {
      const float* row = logits(args) + i * classes;
      const int64_t label = checked_label(labels(args), i, classes);
      int64_t better = 0;
      for (int64_t k = 0; k < classes; ++k) {
        if (k == label) continue;
        // Written so that a NaN on either side counts against the label.
        const bool loses = k < label ? row[k] < row[label] : row[k] <= row[label];
        better += !loses;
      }
      rank(args)[i] = static_cast<float>(better);
    }
  });
}

const OpDef rank_def{.name = "label_rank", .infer = infer, .kernel = rank_kernel};

struct SeedAttrs {
  float weight;
};

Types infer_seed(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  return {{in[0].shape}};
}

std::unique_ptr<Kernel> seed_kernel(const Node& n, const KernelSite& site) {
  const int64_t count = site.in[0].shape.count();
  const float share = n.attrs<SeedAttrs>().weight / static_cast<float>(count / site.replicas);
  const auto loss_scale = site.input<float>(1);
  const auto seed = site.output<float>(0);
  return one_phase(1, [=](int, const KernelArgs& args) {
    std::fill_n(seed(args), count, share * loss_scale(args)[0]);
  });
}

const OpDef seed_def{.name = "loss_seed", .infer = infer_seed, .kernel = seed_kernel};

}  // namespace

Value softmax_cross_entropy(Builder& b, Value logits, Value label,
                            const CrossEntropyOptions& options) {
  return b.emit(cross_entropy_def, {logits, label}, options);
}
Value label_rank(Builder& b, Value logits, Value label) {
  return b.emit(rank_def, {logits, label});
}
Value loss_seed(Builder& b, Value per_sample, Value loss_scale, float weight) {
  return b.emit(seed_def, {per_sample, loss_scale}, SeedAttrs{weight});
}

OpFamily cross_entropy_ops() {
  return {.ops = {&cross_entropy_def, &grad_def, &rank_def, &seed_def}};
}

}  // namespace convoy::ops
