// Dropout keyed by sample: the mask is a function, so the gradient draws it again instead of
// keeping it, and a replica draws the same whoever runs it.

#include "ops/dropout.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/random.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  float rate;
  uint64_t site;
};

std::string describe(const Node& n) { return fmt::format("rate {}", n.attrs<Attrs>().rate); }

Types infer(const Node& n, std::span<const TensorType> in) {
  need_f32(n, in.first(1));
  const float rate = n.attrs<Attrs>().rate;
  if (!(rate >= 0 && rate < 1))
    raise(Fault::usage, "a dropout rate of {} makes no sense; try: 0 to 0.9", rate);
  if (in[1].dtype != DType::s64 || in[1].shape != Shape{in[0].shape[0]}) {
    raise(Fault::usage, "dropout of {} needs a key for each sample", to_string(in[0].shape));
  }
  return {{in[0].shape}};
}

// Logical (plain) element order, so that the mask does not depend on the layout.
std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite& site) {
  const Attrs a = n.attrs<Attrs>();
  const int64_t samples = site.in[0].shape[0], each = site.in[0].shape.count() / samples;
  const float keep = 1 / (1 - a.rate);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(samples, [=](int sample, const KernelArgs& args) {
    Random random(random_key(static_cast<uint64_t>(args.input<int64_t>(1)[sample]),
                             Purpose::dropout, a.site));
    const float* x = args.input(0) + sample * each;
    float* y = args.output(0) + sample * each;
    for (int64_t i = 0; i < each; ++i) {
      y[i] = random.uniform() < static_cast<double>(a.rate) ? 0.0f : x[i] * keep;
    }
  });
  return kernel;
}

Values grad(Builder& b, const Node& n, std::span<const Value> d_out);

const OpDef dropout_def{.name = "dropout",
                        .infer = infer,
                        .grad = grad,
                        .kernel = kernel,
                        .inplace_input = 0,
                        .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {b.emit(dropout_def, {d_out[0], n.in[1]}, n.attrs<Attrs>()), {}};
}

}  // namespace

Value dropout(Builder& b, Value x, Value key, float rate, uint64_t site) {
  if (!b.train() || rate == 0) return x;
  return b.emit(dropout_def, {x, key}, Attrs{rate, site});
}

}  // namespace convoy::ops

namespace convoy {

OpFamily dropout_ops() { return {.ops = {&ops::dropout_def}, .fusions = {}}; }

}  // namespace convoy
