// RMSProp as in PyTorch, with the constants of torchvision's training.

#include "kernels/updates.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float momentum = 0.9f;
  float alpha = 0.9f;
  float epsilon = 0.0316f;

  void describe(Fields& field) {
    field("momentum", momentum, "share of the last step that is kept", between(0, 1));
    field("rmsprop-alpha", alpha, "share of the old mean of squared gradients that is kept",
          between(0, 1));
    field("rmsprop-epsilon", epsilon, "added to the root of that mean", at_least(0));
  }

  std::vector<std::string> slots() const {
    return momentum != 0 ? std::vector<std::string>{"square_avg", "momentum"}
                         : std::vector<std::string>{"square_avg"};
  }
  void update(const ChunkUpdate& u) const {
    kernels::rmsprop_update({.lr = u.lr,
                             .grad_scale = u.grad_scale,
                             .momentum = momentum,
                             .weight_decay = u.chunk.decay,
                             .decay = alpha,
                             .epsilon = epsilon},
                            u.grad, u.slots[0], u.slots[1], u.param, u.chunk.count);
  }
};

const OpDef rmsprop_def = update_op("rmsprop_update");

}  // namespace

OptimizerDef rmsprop_optimizer() {
  return {.name = "rmsprop",
          .help = "steps divided by the mean size of recent gradients, as PyTorch has it",
          .make = make_elementwise<Options, rmsprop_def>};
}

}  // namespace convoy
