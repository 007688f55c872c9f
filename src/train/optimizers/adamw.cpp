// Adam with decoupled weight decay, as in PyTorch.

#include <cmath>

#include "kernels/updates.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float beta1 = 0.9f, beta2 = 0.999f;
  float epsilon = 1e-8f;

  void describe(Fields& field) {
    field("adam-beta1", beta1, "share of the old mean of gradients that is kept", between(0, 1));
    field("adam-beta2", beta2, "share of the old mean of their squares that is kept",
          between(0, 1));
    field("adam-epsilon", epsilon, "added to the root of that mean", at_least(0));
  }

  std::vector<std::string> slots() const { return {"exp_avg", "exp_avg_sq"}; }
  void update(const ChunkUpdate& u) const {
    // Bias correction of the moving means, which start at zero.
    const double updates = static_cast<double>(u.step) + 1;
    const auto correction = [&](float beta) {
      return static_cast<float>(1 - std::pow(static_cast<double>(beta), updates));
    };
    kernels::adamw_update({.lr = u.lr,
                           .grad_scale = u.grad_scale,
                           .weight_decay = u.chunk.decay,
                           .beta1 = beta1,
                           .beta2 = beta2,
                           .epsilon = epsilon,
                           .correction1 = correction(beta1),
                           .correction2 = correction(beta2)},
                          u.grad, u.slots[0], u.slots[1], u.param, u.chunk.count);
  }
};

const OpDef adamw_def = update_op("adamw_update");

}  // namespace

OptimizerDef adamw_optimizer() {
  return {.name = "adamw",
          .help = "Adam with decoupled weight decay",
          .make = make_elementwise<Options, adamw_def>};
}

}  // namespace convoy
