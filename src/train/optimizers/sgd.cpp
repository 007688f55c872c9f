// Gradient descent with momentum, as in PyTorch and TensorFlow's MomentumOptimizer.

#include "kernels/updates.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float momentum = 0.9f;
  bool nesterov = false;

  // Each line is a complete option: config key, --flag, default, help and limits.
  void describe(Fields& field) {
    field("momentum", momentum, "share of the last step that is kept", between(0, 1));
    field("nesterov", nesterov, "look ahead along the momentum");
    field.needs("nesterov", momentum > 0, "--momentum above 0", {"momentum"});
  }

  std::vector<std::string> slots() const {
    return momentum != 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
  }
  void update(const ChunkUpdate& u) const {
    kernels::sgd_update({.lr = u.lr,
                         .grad_scale = u.grad_scale,
                         .momentum = momentum,
                         .weight_decay = u.chunk.decay,
                         .damping = 0,
                         .nesterov = nesterov},
                        u.grad, u.slots[0], u.param, u.chunk.count);
  }
};

const OpDef sgd_def = update_op("sgd_update");

}  // namespace

OptimizerDef sgd_optimizer() {
  return {.name = "sgd",
          .help = "gradient descent with momentum",
          .make = make_elementwise<Options, sgd_def>};
}

}  // namespace convoy
