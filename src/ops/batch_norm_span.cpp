// Each replica gives mean and sum of squared deviations of its pixels (backward: two sums), in
// doubles; everyone adds up those of the group in a tree over the replica index: the same bits
// wherever the replicas run.

#include "ops/batch_norm_span.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "ops/batch_norm_fusion.h"
#include "ops/batch_norm_kernels.h"
#include "ops/exchange.h"
#include "ops/family.h"
#include "ops/layout_rules.h"
#include "ops/norm_planes.h"

namespace convoy::ops {
namespace {

struct SpanNormAttrs {
  BatchNormGradAttrs norm;
  int64_t span = 1;
};

// Two vectors over channels, as floats of twice the number.
int64_t sums_floats(int64_t channels) { return 4 * channel_vector(channels); }

// The sum of f(first) … f(first + n - 1) in a balanced tree.
template <class F>
double tree(int64_t first, int64_t n, const F& f) {
  if (n == 1) return f(first);
  const auto left = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)) / 2);
  return tree(first, left, f) + tree(first + left, n - left, f);
}

// What the replicas of a group have given: mean or sum, then squares or dots.
struct Members {
  const double* all;
  int64_t vector, span;

  double operator()(int64_t member, int64_t which, int64_t c) const {
    return all[(member * 2 + which) * vector + c];
  }
  double sum(int64_t which, int64_t c) const {
    return tree(0, span, [&](int64_t m) { return (*this)(m, which, c); });
  }
};

class SpanKernel : public Kernel {
 public:
  SpanKernel(const SpanNormAttrs& a, const Shape& x)
      : attrs_(a), planes_(x), vector_(planes_.vector()) {}

 protected:
  const BatchNormAttrs& norm() const { return attrs_.norm.forward; }
  double pixels() const { return static_cast<double>(planes_.images * planes_.pixels); }
  int64_t count(int64_t first) const { return std::min(planes_.block, planes_.channels - first); }
  Members members(const KernelArgs& args, int input) const {
    return {args.input<double>(input), vector_, attrs_.span};
  }
  // Sums over images, in order, of what a pass over the planes has left.
  void add_images(const float* sums, int64_t channel, double& one, double& two) const {
    one = two = 0;
    const float* part = sums + channel;
    for (int64_t i = 0; i < planes_.images; ++i, part += 2 * vector_) {
      one += part[0];
      two += part[vector_];
    }
  }
  void affine(const KernelArgs& args, int64_t first, const float* mean, const float* inverse,
              int gamma, float* scale) const {
    std::fill_n(scale + first, planes_.block, 0.0f);
    std::fill_n(scale + vector_ + first, planes_.block, 0.0f);
    for (int64_t c = first; c < first + count(first); ++c) {
      scale[c] = args.input(gamma)[c] * inverse[c];
      scale[vector_ + c] = args.input(gamma + 1)[c] - mean[c] * scale[c];
    }
  }

  SpanNormAttrs attrs_;
  NormPlanes planes_;
  int64_t vector_;
};

// in: x; out: means and squares
class SumsKernel final : public SpanKernel {
 public:
  using SpanKernel::SpanKernel;
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? planes_.tasks() : planes_.blocks);
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(planes_.images * 2 * vector_) * sizeof(float);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* sums = reinterpret_cast<float*>(args.scratch);
    // The first pixel is a good guess of the mean.
    const auto guess = [&](int64_t channel) {
      return args.input(0) + channel / planes_.block * planes_.plane_floats();
    };
    if (phase == 0) {
      planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
        float* mine = sums + image * 2 * vector_ + channel;
        kernels::norm_sums(planes_.plane(), args.input(0) + at, guess(channel), mine,
                           mine + vector_);
      });
      return;
    }
    const int64_t first = task * planes_.block;
    auto* out = args.output<double>(0);
    for (int64_t c = first; c < first + planes_.block; ++c) out[c] = out[vector_ + c] = 0;
    for (int64_t c = first; c < first + count(first); ++c) {
      double sum = 0, square = 0;
      add_images(sums, c, sum, square);
      const double offset = sum / pixels();
      out[c] = guess(first)[c - first] + offset;
      out[vector_ + c] = std::max(0.0, square - offset * offset * pixels());
    }
  }
};

// in: x, gamma, beta, what the members gave, that they have [, residual]
// out: as batch_norm's
class ApplyKernel final : public SpanKernel {
 public:
  using SpanKernel::SpanKernel;
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? planes_.blocks : planes_.tasks());
  }
  size_t scratch_bytes() const override { return static_cast<size_t>(2 * vector_) * sizeof(float); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    if (phase == 0) return combine(task, args, scale);
    planes_.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::norm_apply(planes_.plane(), args.input(0) + at,
                          norm().residual ? args.input(5) + at : nullptr, scale + channel,
                          scale + vector_ + channel, norm().act, args.output(0) + at);
    });
  }

 private:
  void combine(int task, const KernelArgs& args, float* scale) const {
    const int64_t first = task * planes_.block;
    float* mean = args.output(1);
    float* inverse = mean + vector_;
    std::fill_n(mean + first, planes_.block, 0.0f);
    std::fill_n(inverse + first, planes_.block, 0.0f);
    const Members given = members(args, 3);
    const double all = pixels() * static_cast<double>(attrs_.span);
    for (int64_t c = first; c < first + count(first); ++c) {
      const double center = given.sum(0, c) / static_cast<double>(attrs_.span);
      const double between = tree(0, attrs_.span, [&](int64_t m) {
        const double apart = given(m, 0, c) - center;
        return apart * apart;
      });
      const double variance = (given.sum(1, c) + pixels() * between) / all;
      mean[c] = static_cast<float>(center);
      inverse[c] =
          static_cast<float>(1 / std::sqrt(variance + static_cast<double>(norm().epsilon)));
      args.output(2)[c] = mean[c];
      args.output(3)[c] = static_cast<float>(variance * all / std::max(1.0, all - 1));
    }
    affine(args, first, mean, inverse, 1, scale);
  }
};

// What both halves of the gradient know. Inputs 0 to 4: d_y, x, gamma, beta, saved.
class SpanGradKernel : public SpanKernel {
 public:
  using SpanKernel::SpanKernel;

 protected:
  const float* mean(const KernelArgs& args) const { return args.input(4); }
  const float* inverse(const KernelArgs& args) const { return args.input(4) + vector_; }
  kernels::NormGradPlane plane(const KernelArgs& args, const float* scale, int64_t channel,
                               int64_t at) const {
    using kernels::NormMask;
    NormMask mask = NormMask::none;
    if (norm().act == kernels::NormAct::swish) mask = NormMask::swish;
    if (norm().act == kernels::NormAct::relu) {
      mask = attrs_.norm.uses_y() ? NormMask::output : NormMask::recompute;
    }
    return {.plane = planes_.plane(),
            .mask = mask,
            .x = args.input(1) + at,
            .y = nullptr,
            .d_y = args.input(0) + at,
            .d_y2 = nullptr,
            .mean = mean(args) + channel,
            .scale = scale + channel,
            .shift = scale + vector_ + channel};
  }
};

// in: as batch_norm_grad's; out: sums and dots [, what arrived behind the activation]
class GradSumsKernel final : public SpanGradKernel {
 public:
  using SpanGradKernel::SpanGradKernel;
  int phases() const override { return 3; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 1 ? planes_.tasks() : planes_.blocks);
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>((planes_.images + 1) * 2 * vector_) * sizeof(float);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    float* sums = scale + 2 * vector_;
    const int64_t first = task * planes_.block;
    if (phase == 0) return affine(args, first, mean(args), inverse(args), 2, scale);
    if (phase == 1) {
      const bool y = attrs_.norm.uses_y();
      planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
        kernels::NormGradPlane p = plane(args, scale, channel, at);
        if (y) p.y = args.input(5) + at;
        if (attrs_.norm.two) p.d_y2 = args.input(y ? 6 : 5) + at;
        float* mine = sums + image * 2 * vector_ + channel;
        kernels::norm_grad_sums(p, mine, mine + vector_,
                                norm().residual ? args.output(1) + at : nullptr);
      });
      return;
    }
    auto* out = args.output<double>(0);
    for (int64_t c = first; c < first + planes_.block; ++c) out[c] = out[vector_ + c] = 0;
    for (int64_t c = first; c < first + count(first); ++c) {
      add_images(sums, c, out[c], out[vector_ + c]);
    }
  }
};

// in: d_y or what arrived, x, gamma, beta, saved, what the members gave, what this replica gave,
// that they have [, second d_y]; out: d_x, d_gamma, d_beta
class GradApplyKernel final : public SpanGradKernel {
 public:
  using SpanGradKernel::SpanGradKernel;
  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 0 ? planes_.blocks : planes_.tasks());
  }
  size_t scratch_bytes() const override { return static_cast<size_t>(5 * vector_) * sizeof(float); }
  void run(int phase, int task, const KernelArgs& args) const override {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    float* a = scale + 2 * vector_;
    if (phase == 0) return combine(task, args, scale, a);
    planes_.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::NormGradPlane p = plane(args, scale, channel, at);
      if (norm().residual) {
        p.mask = kernels::NormMask::none;
      } else if (attrs_.norm.two) {
        p.d_y2 = args.input(8) + at;
      }
      kernels::norm_grad_apply(p, a + channel, a + vector_ + channel, a + 2 * vector_ + channel,
                               args.output(0) + at);
    });
  }

 private:
  void combine(int task, const KernelArgs& args, float* scale, float* a) const {
    const int64_t first = task * planes_.block;
    affine(args, first, mean(args), inverse(args), 2, scale);
    float* b = a + vector_;
    float* shift = b + vector_;
    for (float* v : {a, b, shift}) std::fill_n(v + first, planes_.block, 0.0f);
    const Members given = members(args, 5);
    const auto* own = args.input<double>(6);
    const double all = pixels() * static_cast<double>(attrs_.span);
    for (int64_t c = first; c < first + count(first); ++c) {
      const double over = inverse(args)[c];
      const double slope = static_cast<double>(args.input(2)[c]) * over;
      a[c] = static_cast<float>(slope);
      b[c] = static_cast<float>(-slope * over * over * given.sum(1, c) / all);
      shift[c] = static_cast<float>(-slope * given.sum(0, c) / all);
      args.output(1)[c] = static_cast<float>(own[vector_ + c] * over);
      args.output(2)[c] = static_cast<float>(own[c]);
    }
  }
};

template <class K, int X>
std::unique_ptr<Kernel> make(const Node& n, const KernelSite& site) {
  return std::make_unique<K>(n.attrs<SpanNormAttrs>(), site.in[X].shape);
}

Types infer_sums(const Node&, std::span<const TensorType> in) {
  return {{{sums_floats(in[0].shape[1])}}};
}

Types infer_apply(const Node&, std::span<const TensorType> in) {
  const Shape& x = in[0].shape;
  return {{x}, {{1, 2, channel_vector(x[1])}}, {{x[1]}}, {{x[1]}}};
}

Types infer_grad_sums(const Node& n, std::span<const TensorType> in) {
  Types out{{{sums_floats(in[1].shape[1])}}};
  if (n.attrs<SpanNormAttrs>().norm.forward.residual) out.push_back({in[1].shape});
  return out;
}

Types infer_grad_apply(const Node&, std::span<const TensorType> in) {
  return {{in[1].shape}, {in[2].shape}, {in[3].shape}};
}

const OpDef sums_def{.name = "batch_norm_sums",
                     .infer = infer_sums,
                     .kernel = make<SumsKernel, 0>,
                     .layouts = blocked_images};
const OpDef apply_def{.name = "batch_norm_apply",
                      .infer = infer_apply,
                      .kernel = make<ApplyKernel, 0>,
                      .layouts = blocked_images};
const OpDef grad_sums_def{.name = "batch_norm_grad_sums",
                          .infer = infer_grad_sums,
                          .kernel = make<GradSumsKernel, 1>,
                          .layouts = blocked_images};
const OpDef grad_apply_def{.name = "batch_norm_grad_apply",
                           .infer = infer_grad_apply,
                           .kernel = make<GradApplyKernel, 1>,
                           .inplace_input = 0,
                           .layouts = blocked_images};

// Puts nodes where one was.
struct Writer {
  Graph& graph;
  const Node& old;
  size_t at;
  int64_t span;
  int& exchange;

  Values add(const OpDef& op, Values in, std::any attrs) {
    return graph.add(op, std::move(in), std::move(attrs), old.name, at++).out;
  }
  // What all members gave, and that they have.
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
  const auto [all, there] = w.bring_together(w.add(sums_def, {in[0]}, attrs)[0]);
  Values apply{in[0], in[1], in[2], all, there};
  if (attrs.norm.forward.residual) apply.push_back(in[3]);
  const Values out = w.add(apply_def, apply, attrs);
  for (size_t i = 0; i < out.size(); ++i) w.graph.replace(old[i], out[i]);
}

void spread_gradient(Writer w) {
  const SpanNormAttrs attrs{w.old.attrs<BatchNormGradAttrs>(), w.span};
  const Values in = w.old.in, old = w.old.out;
  const Values sums = w.add(grad_sums_def, in, attrs);
  const auto [all, there] = w.bring_together(sums[0]);
  const bool residual = attrs.norm.forward.residual;
  Values apply{residual ? sums[1] : in[0], in[1], in[2], in[3], in[4], all, sums[0], there};
  if (attrs.norm.two && !residual) apply.push_back(in[5]);
  const Values out = w.add(grad_apply_def, apply, attrs);
  for (size_t i = 0; i < out.size(); ++i) w.graph.replace(old[i], out[i]);
  if (residual) w.graph.replace(old[3], sums[1]);
}

}  // namespace

void spread_batch_norms(Graph& graph, int64_t span) {
  int exchange = 0;
  const std::vector<int> before = graph.order;
  for (const int id : before) {
    const Node& node = graph.node(id);
    const bool forward = node.op == &batch_norm_train_def;
    if (!forward && node.op != &batch_norm_grad_def) continue;
    if (!forward && node.attrs<BatchNormGradAttrs>().fixed) continue;
    const auto place = std::ranges::find(graph.order, id);
    const auto at = static_cast<size_t>(place - graph.order.begin());
    graph.order.erase(place);
    const Writer writer{graph, node, at, span, exchange};
    forward ? spread_forward(writer) : spread_gradient(writer);
  }
}

}  // namespace convoy::ops

namespace convoy {

OpFamily batch_norm_span_ops() {
  return {.ops = {&ops::sums_def, &ops::apply_def, &ops::grad_sums_def, &ops::grad_apply_def},
          .fusions = {}};
}

}  // namespace convoy
