// Softsign and its gradient, which needs x: d_x = d_y / (1 + |x|)^2.

#include "ops/softsign.h"

#include <cmath>

#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  return {{in[0].shape}};
}

std::unique_ptr<Kernel> forward(const Node&, const KernelSite& site) {
  return unary_kernel<float>(site, [](const float* x, float* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) y[i] = x[i] / (1 + std::abs(x[i]));
  });
}
std::unique_ptr<Kernel> backward(const Node&, const KernelSite& site) {
  return binary_kernel<float>(site,
                              [](const float* x, const float* d_y, float* d_x, int64_t count) {
                                for (int64_t i = 0; i < count; ++i) {
                                  const float root = 1 + std::abs(x[i]);
                                  d_x[i] = d_y[i] / (root * root);
                                }
                              });
}

const OpDef grad_def{
    .name = "softsign_grad", .infer = infer, .kernel = backward, .forms = all_alike};
Values grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(grad_def, {n.in[0], d[0]})};
}
const OpDef softsign_def{
    .name = "softsign", .infer = infer, .grad = grad, .kernel = forward, .forms = all_alike};

}  // namespace

Value softsign(Builder& b, Value x) { return b.emit(softsign_def, {x}); }

OpFamily softsign_ops() { return {.ops = {&softsign_def, &grad_def}}; }

}  // namespace convoy::ops
