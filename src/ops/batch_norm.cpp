// Batch norm, alone or fused with an addition and a ReLU. One pass over x for the sums (shifted by
// the first pixel, so that a large mean does not cost digits), one to apply; the backward pass
// likewise. Images are summed in order, replicas in a tree.

#include "ops/batch_norm.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "kernels/norm.h"
#include "kernels/sums.h"
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/norm_planes.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  float epsilon;
  bool relu = false;
  bool residual = false;
  int64_t replicas = 1;
};

std::string describe(const Node& n) {
  const Attrs& a = n.attrs<Attrs>();
  return fmt::format("eps {}{}{}", a.epsilon, a.residual ? " add" : "", a.relu ? " relu" : "");
}

LayoutChoice blocked_images(const Node& n, const Types& in, const Types& out) {
  (void)n;
  LayoutChoice choice;
  for (const TensorType& t : in)
    choice.in.push_back(t.shape.rank() == 4 ? Layout::blocked : Layout::plain);
  for (const TensorType& t : out)
    choice.out.push_back(t.shape.rank() == 4 ? Layout::blocked : Layout::plain);
  return choice;
}
LayoutChoice layouts(const Node& n, std::span<const TensorType> offered) {
  return blocked_images(n, {offered.begin(), offered.end()}, n.op->infer(n, offered));
}

void check(const Node& n, std::span<const TensorType> in) {
  need_f32(n, in);
  if (in[0].shape.rank() != 4 || in[1].shape != Shape{in[0].shape[1]} ||
      in[2].shape != in[1].shape) {
    raise(Fault::usage, "batch norm of {} with scales {} makes no sense", to_string(in[0].shape),
          to_string(in[1].shape));
  }
}

// Training ------------------------------------------------------------------------------------
// in: x, gamma, beta [, residual]
// out: y, saved [replicas, 2, C'] (mean, 1 / deviation), batch mean [c], batch variance [c]

Types infer_train(const Node& n, std::span<const TensorType> in) {
  check(n, in);
  const Shape& x = in[0].shape;
  expect(x[0] % n.attrs<Attrs>().replicas == 0, "replicas divide the batch");
  return {{x}, {{n.attrs<Attrs>().replicas, 2, channel_vector(x[1])}}, {{x[1]}}, {{x[1]}}};
}

// scale and shift of one channel block from saved mean and 1 / deviation.
void make_affine(const float* mean, const float* inverse, const float* gamma, const float* beta,
                 int64_t count, float* scale, float* shift) {
  for (int64_t c = 0; c < count; ++c) {
    scale[c] = gamma[c] * inverse[c];
    shift[c] = beta[c] - mean[c] * scale[c];
  }
}

class TrainKernel : public Kernel {
 public:
  TrainKernel(const Attrs& a, const Shape& x)
      : attrs_(a), planes_(x), batch_(x[0] / a.replicas), vector_(planes_.vector()) {}

  int phases() const override { return 3; }
  int tasks(int phase) const override {
    return static_cast<int>(phase == 1 ? planes_.blocks : planes_.tasks());
  }
  // Sums of each image [images, 2, C'], then scale and shift of each replica [replicas, 2, C'],
  // then what each replica says about the running statistics [replicas, 2, C'].
  size_t scratch_bytes() const override {
    return static_cast<size_t>((planes_.images + 2 * attrs_.replicas) * 2 * vector_) *
           sizeof(float);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    if (phase == 0) return sum(task, args);
    if (phase == 1) return combine(task, args);
    apply(task, args);
  }

 private:
  float* sums(const KernelArgs& args) const { return reinterpret_cast<float*>(args.scratch); }
  float* affine(const KernelArgs& args) const { return sums(args) + planes_.images * 2 * vector_; }
  float* leaves(const KernelArgs& args) const {
    return affine(args) + attrs_.replicas * 2 * vector_;
  }

  // The first pixel of the replica, a good guess of the mean.
  const float* guess(const KernelArgs& args, int64_t replica, int64_t channel) const {
    const int64_t plane = replica * batch_ * planes_.blocks + channel / planes_.block;
    return args.input(0) + plane * planes_.plane_floats();
  }

  void sum(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args) + image * 2 * vector_ + channel;
      kernels::norm_sums({planes_.pixels, planes_.block}, args.input(0) + at,
                         guess(args, image / batch_, channel), mine, mine + vector_);
    });
  }

  void combine(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    const int64_t count = std::min(planes_.block, planes_.channels - first);
    const auto pixels = static_cast<double>(batch_ * planes_.pixels);
    for (int64_t r = 0; r < attrs_.replicas; ++r) {
      float* mean = args.output(1) + r * 2 * vector_ + first;
      float* inverse = mean + vector_;
      float* leaf = leaves(args) + r * 2 * vector_ + first;
      // The gradient reads whole blocks: padding must be numbers.
      std::fill_n(mean, planes_.block, 0.0f);
      std::fill_n(inverse, planes_.block, 0.0f);
      for (int64_t c = 0; c < count; ++c) {
        double sum = 0, square = 0;
        const float* part = sums(args) + r * batch_ * 2 * vector_ + first + c;
        for (int64_t i = 0; i < batch_; ++i, part += 2 * vector_) {
          sum += part[0];
          square += part[vector_];
        }
        const double offset = sum / pixels;
        const double variance = std::max(0.0, square / pixels - offset * offset);
        const double center = guess(args, r, first)[c] + offset;
        mean[c] = static_cast<float>(center);
        inverse[c] =
            static_cast<float>(1 / std::sqrt(variance + static_cast<double>(attrs_.epsilon)));
        leaf[c] = mean[c];
        leaf[vector_ + c] = static_cast<float>(variance * pixels / std::max(1.0, pixels - 1));
      }
      float* scale = affine(args) + r * 2 * vector_ + first;
      std::fill_n(scale, planes_.block, 0.0f);
      std::fill_n(scale + vector_, planes_.block, 0.0f);
      make_affine(mean, inverse, args.input(1) + first, args.input(2) + first, count, scale,
                  scale + vector_);
    }
    float* leaf = leaves(args) + first;
    kernels::tree_sum(leaf, 2 * vector_, attrs_.replicas, count);
    kernels::tree_sum(leaf + vector_, 2 * vector_, attrs_.replicas, count);
    std::copy_n(leaf, count, args.output(2) + first);
    std::copy_n(leaf + vector_, count, args.output(3) + first);
  }

  void apply(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* scale = affine(args) + image / batch_ * 2 * vector_ + channel;
      kernels::norm_apply({planes_.pixels, planes_.block}, args.input(0) + at,
                          attrs_.residual ? args.input(3) + at : nullptr, scale, scale + vector_,
                          attrs_.relu, args.output(0) + at);
    });
  }

  Attrs attrs_;
  NormPlanes planes_;
  int64_t batch_, vector_;
};

std::unique_ptr<Kernel> train_kernel(const Node& n, const KernelSite& site) {
  return std::make_unique<TrainKernel>(n.attrs<Attrs>(), site.in[0].shape);
}

// Gradient ------------------------------------------------------------------------------------
// in: d_y, x, gamma, beta, saved [, y if residual and relu] [, second d_y]
// out: d_x, d_gamma, d_beta [, d_residual]

struct GradAttrs {
  Attrs forward;
  bool two = false;  // a second d_y, to be added to the first
  bool uses_y() const { return forward.residual && forward.relu; }
};

std::string describe_grad(const Node& n) {
  const GradAttrs& a = n.attrs<GradAttrs>();
  return fmt::format("eps {}{}{}{}", a.forward.epsilon, a.forward.residual ? " add" : "",
                     a.forward.relu ? " relu" : "", a.two ? " sum" : "");
}

Types infer_grad(const Node& n, std::span<const TensorType> in) {
  Types out{{in[1].shape}, {in[2].shape}, {in[3].shape}};
  if (n.attrs<GradAttrs>().forward.residual) out.push_back({in[1].shape});
  return out;
}

class GradKernel : public Kernel {
 public:
  GradKernel(const GradAttrs& a, const Shape& x)
      : attrs_(a),
        planes_(x),
        replicas_(a.forward.replicas),
        batch_(x[0] / replicas_),
        vector_(planes_.vector()) {}

  int phases() const override { return 4; }
  int tasks(int phase) const override {
    return static_cast<int>(phase % 2 == 0 ? planes_.blocks : planes_.tasks());
  }
  // Affine of each replica [replicas, 2, C'], sums of each image [images, 2, C'], coefficients of
  // each replica [replicas, 3, C'], gradients of each replica [replicas, 2, C'].
  size_t scratch_bytes() const override {
    return static_cast<size_t>((7 * replicas_ + 2 * planes_.images) * vector_) * sizeof(float);
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    switch (phase) {
      case 0:
        return prepare(task, args);
      case 1:
        return sum(task, args);
      case 2:
        return combine(task, args);
      default:
        return apply(task, args);
    }
  }

 private:
  float* affine(const KernelArgs& args) const { return reinterpret_cast<float*>(args.scratch); }
  float* sums(const KernelArgs& args) const { return affine(args) + replicas_ * 2 * vector_; }
  float* coefficients(const KernelArgs& args) const {
    return sums(args) + planes_.images * 2 * vector_;
  }
  float* leaves(const KernelArgs& args) const {
    return coefficients(args) + replicas_ * 3 * vector_;
  }
  const float* saved(const KernelArgs& args, int64_t replica) const {
    return args.input(4) + replica * 2 * vector_;
  }
  int64_t count(int64_t first) const { return std::min(planes_.block, planes_.channels - first); }

  void prepare(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    for (int64_t r = 0; r < replicas_; ++r) {
      float* scale = affine(args) + r * 2 * vector_ + first;
      std::fill_n(scale, planes_.block, 0.0f);
      std::fill_n(scale + vector_, planes_.block, 0.0f);
      make_affine(saved(args, r) + first, saved(args, r) + vector_ + first, args.input(2) + first,
                  args.input(3) + first, count(first), scale, scale + vector_);
    }
  }

  kernels::NormGradPlane plane(const KernelArgs& args, int64_t image, int64_t channel,
                               int64_t at) const {
    const int64_t r = image / batch_;
    const float* scale = affine(args) + r * 2 * vector_ + channel;
    const bool y = attrs_.uses_y();
    return {.plane = {planes_.pixels, planes_.block},
            .mask = !attrs_.forward.relu ? kernels::NormMask::none
                    : y                  ? kernels::NormMask::output
                                         : kernels::NormMask::recompute,
            .x = args.input(1) + at,
            .y = y ? args.input(5) + at : nullptr,
            .d_y = args.input(0) + at,
            .d_y2 = attrs_.two ? args.input(y ? 6 : 5) + at : nullptr,
            .mean = saved(args, r) + channel,
            .scale = scale,
            .shift = scale + vector_};
  }

  void sum(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      float* mine = sums(args) + image * 2 * vector_ + channel;
      kernels::norm_grad_sums(plane(args, image, channel, at), mine, mine + vector_);
    });
  }

  // d_x = a g + b (x - mean) + c with g the arriving gradient, so that the sums of d_x and of
  // d_x * (x - mean) over the replica vanish.
  void combine(int task, const KernelArgs& args) const {
    const int64_t first = task * planes_.block;
    const auto pixels = static_cast<double>(batch_ * planes_.pixels);
    for (int64_t r = 0; r < replicas_; ++r) {
      const float* inverse = saved(args, r) + vector_ + first;
      float* a = coefficients(args) + r * 3 * vector_ + first;
      float* b = a + vector_;
      float* c = b + vector_;
      float* d_gamma = leaves(args) + r * 2 * vector_ + first;
      float* d_beta = d_gamma + vector_;
      for (float* v : {a, b, c}) std::fill_n(v, planes_.block, 0.0f);
      for (int64_t k = 0; k < count(first); ++k) {
        double sum = 0, dot = 0;
        const float* part = sums(args) + r * batch_ * 2 * vector_ + first + k;
        for (int64_t i = 0; i < batch_; ++i, part += 2 * vector_) {
          sum += part[0];
          dot += part[vector_];
        }
        const double scale = static_cast<double>(args.input(2)[first + k]) * inverse[k];
        a[k] = static_cast<float>(scale);
        b[k] = static_cast<float>(-scale * inverse[k] * inverse[k] * dot / pixels);
        c[k] = static_cast<float>(-scale * sum / pixels);
        d_gamma[k] = static_cast<float>(dot * inverse[k]);
        d_beta[k] = static_cast<float>(sum);
      }
    }
    float* leaf = leaves(args) + first;
    kernels::tree_sum(leaf, 2 * vector_, replicas_, count(first));
    kernels::tree_sum(leaf + vector_, 2 * vector_, replicas_, count(first));
    std::copy_n(leaf, count(first), args.output(1) + first);
    std::copy_n(leaf + vector_, count(first), args.output(2) + first);
  }

  void apply(int task, const KernelArgs& args) const {
    planes_.each(task, [&](int64_t image, int64_t channel, int64_t at) {
      const float* a = coefficients(args) + image / batch_ * 3 * vector_ + channel;
      kernels::norm_grad_apply(plane(args, image, channel, at), a, a + vector_, a + 2 * vector_,
                               args.output(0) + at,
                               attrs_.forward.residual ? args.output(3) + at : nullptr);
    });
  }

  GradAttrs attrs_;
  NormPlanes planes_;
  int64_t replicas_, batch_, vector_;
};

std::unique_ptr<Kernel> grad_kernel(const Node& n, const KernelSite& site) {
  return std::make_unique<GradKernel>(n.attrs<GradAttrs>(), site.in[1].shape);
}

const OpDef grad_def{.name = "batch_norm_grad",
                     .infer = infer_grad,
                     .kernel = grad_kernel,
                     .inplace_input = 0,
                     .layouts = layouts,
                     .describe = describe_grad};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const Attrs& a = n.attrs<Attrs>();
  const GradAttrs attrs{a};
  Values in{d_out[0], n.in[0], n.in[1], n.in[2], n.out[1]};
  if (attrs.uses_y()) in.push_back(n.out[0]);
  return b.emit_all(grad_def, in, attrs);
}

const OpDef train_def{.name = "batch_norm",
                      .infer = infer_train,
                      .grad = grad,
                      .kernel = train_kernel,
                      .layouts = layouts,
                      .describe = describe};

// Evaluation ----------------------------------------------------------------------------------
// in: x, gamma, beta, running mean, running variance [, residual]; out: y

Types infer_eval(const Node& n, std::span<const TensorType> in) {
  check(n, in);
  return {{in[0].shape}};
}

std::unique_ptr<Kernel> eval_kernel(const Node& n, const KernelSite& site) {
  const Attrs a = n.attrs<Attrs>();
  const NormPlanes planes(site.in[0].shape);
  const int64_t vector = planes.vector();
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->scratch(static_cast<size_t>(2 * vector) * sizeof(float));
  kernel->phase(1, [=](int, const KernelArgs& args) {
    auto* scale = reinterpret_cast<float*>(args.scratch);
    std::fill_n(scale, 2 * vector, 0.0f);
    for (int64_t c = 0; c < planes.channels; ++c) {
      const double inverse =
          1 / std::sqrt(static_cast<double>(args.input(4)[c]) + static_cast<double>(a.epsilon));
      scale[c] = static_cast<float>(args.input(1)[c] * inverse);
      scale[vector + c] = args.input(2)[c] - args.input(3)[c] * scale[c];
    }
  });
  kernel->phase(planes.tasks(), [=](int task, const KernelArgs& args) {
    const auto* scale = reinterpret_cast<const float*>(args.scratch);
    planes.each(task, [&](int64_t, int64_t channel, int64_t at) {
      kernels::norm_apply({planes.pixels, planes.block}, args.input(0) + at,
                          a.residual ? args.input(5) + at : nullptr, scale + channel,
                          scale + vector + channel, a.relu, args.output(0) + at);
    });
  });
  return kernel;
}

const OpDef eval_def{.name = "batch_norm_eval",
                     .infer = infer_eval,
                     .kernel = eval_kernel,
                     .inplace_input = 0,
                     .layouts = layouts,
                     .describe = describe};

// Fusion --------------------------------------------------------------------------------------

bool is_norm(const Node& n) { return n.op == &train_def || n.op == &eval_def; }

bool only_reader(const Graph& graph, Value v) {
  return graph.readers(v).size() == 1 && !graph.is_result(v);
}

// A norm with nothing fused to it yet, whose result only one node reads.
bool can_absorb(const Graph& graph, Value v) {
  const Node& n = graph.producer(v);
  return is_norm(n) && v == n.out[0] && !n.attrs<Attrs>().relu && !n.attrs<Attrs>().residual &&
         only_reader(graph, v);
}

size_t position(const Graph& graph, int id) {
  return static_cast<size_t>(std::find(graph.order.begin(), graph.order.end(), id) -
                             graph.order.begin());
}

// Puts a norm with other attributes and perhaps one more input in the place of `reader`, which
// read it.
void absorb(Graph& graph, const Node& reader, const Node& norm, const Attrs& attrs, Values in) {
  const Values old = norm.out;
  const Value result = reader.out[0];
  Node& fused = graph.add(*norm.op, std::move(in), attrs, norm.name, position(graph, reader.id));
  for (size_t i = 1; i < old.size(); ++i) graph.replace(old[i], fused.out[i]);
  graph.replace(result, fused.out[0]);
}

// relu(norm(x)) -> norm{relu}
bool fuse_relu(Graph& graph, Node& relu) {
  if (relu.op != &relu_def) return false;
  const Value y = relu.in[0];
  const Node& norm = graph.producer(y);
  if (!is_norm(norm) || y != norm.out[0] || norm.attrs<Attrs>().relu || !only_reader(graph, y))
    return false;
  Attrs attrs = norm.attrs<Attrs>();
  attrs.relu = true;
  absorb(graph, relu, norm, attrs, norm.in);
  return true;
}

// add(norm(x), r) -> norm{add}
bool fuse_add(Graph& graph, Node& add) {
  if (add.op != &add_def || add.in[0] == add.in[1]) return false;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    if (!can_absorb(graph, add.in[side])) continue;
    const Node& norm = graph.producer(add.in[side]);
    Attrs attrs = norm.attrs<Attrs>();
    attrs.residual = true;
    Values in = norm.in;
    in.push_back(add.in[1 - side]);
    absorb(graph, add, norm, attrs, in);
    return true;
  }
  return false;
}

// norm_grad(add(a, b)) -> norm_grad{sum}(a, b): the sum of two gradients is taken on the fly.
bool fuse_grad_sum(Graph& graph, Node& norm) {
  if (norm.op != &grad_def || norm.attrs<GradAttrs>().two) return false;
  const Node& add = graph.producer(norm.in[0]);
  if (add.op != &add_def || !only_reader(graph, norm.in[0])) return false;
  GradAttrs attrs = norm.attrs<GradAttrs>();
  attrs.two = true;
  Values in = norm.in;
  in[0] = add.in[0];
  in.push_back(add.in[1]);
  const Values old = norm.out;
  const Node& fused = graph.add(grad_def, in, attrs, norm.name, position(graph, norm.id));
  for (size_t i = 0; i < old.size(); ++i) graph.replace(old[i], fused.out[i]);
  return true;
}

}  // namespace

Value batch_norm(Builder& b, Value x, const BatchNormVars& vars, const BatchNormOptions& options) {
  Attrs attrs{options.epsilon};
  attrs.replicas = b.graph().replicas;
  if (!b.train())
    return b.emit(eval_def, {x, vars.gamma, vars.beta, vars.mean, vars.variance}, attrs);
  const Values out = b.emit_all(train_def, {x, vars.gamma, vars.beta}, attrs);
  b.feed(vars.mean, out[2]);
  b.feed(vars.variance, out[3]);
  return out[0];
}

}  // namespace convoy::ops

namespace convoy {

OpFamily batch_norm_ops() {
  using Stage = FusionRule::Stage;
  return {.ops = {&ops::train_def, &ops::grad_def, &ops::eval_def},
          .fusions = {{"batch_norm_add", Stage::forward, ops::fuse_add},
                      {"batch_norm_relu", Stage::forward, ops::fuse_relu},
                      {"batch_norm_grad_sum", Stage::gradients, ops::fuse_grad_sum}}};
}

}  // namespace convoy
