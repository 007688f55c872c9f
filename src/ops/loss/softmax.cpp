// Softmax, one row per sample, in double.

#include "ops/loss/softmax.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  if (in[0].shape.rank() != 2)
    raise(Fault::usage, "softmax needs logits [n, classes], not {}", to_string(in[0].shape));
  return {{in[0].shape}};
}

std::unique_ptr<Kernel> kernel(const Node&, const KernelSite& site) {
  const int64_t classes = site.in[0].shape[1];
  const auto logits = site.input<float>(0);
  const auto shares = site.output<float>(0);
  return one_phase(site.in[0].shape[0], [=](int sample, const KernelArgs& args) {
    const float* x = logits(args) + sample * classes;
    float* y = shares(args) + sample * classes;
    const double top = *std::max_element(x, x + classes);
    double sum = 0;
    for (int64_t k = 0; k < classes; ++k) sum += std::exp(x[k] - top);
    for (int64_t k = 0; k < classes; ++k) y[k] = static_cast<float>(std::exp(x[k] - top) / sum);
  });
}

const OpDef softmax_def{.name = "softmax", .infer = infer, .kernel = kernel, .inplace_input = 0};

}  // namespace

Value softmax(Builder& b, Value logits) { return b.emit(softmax_def, {logits}); }

OpFamily softmax_ops() { return {.ops = {&softmax_def}}; }

}  // namespace convoy::ops
