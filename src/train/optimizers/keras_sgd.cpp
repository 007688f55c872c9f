// Gradient descent with momentum as in Keras: the momentum buffer contains the learning rate, so a
// change of the rate takes effect only as old updates decay.

#include "kernels/updates.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float momentum = 0.9f;
  bool nesterov = false;

  void describe(Fields& field) {
    field("momentum", momentum, "share of the last step that is kept", between(0, 1));
    field("nesterov", nesterov, "look ahead along the momentum");
    field.needs("nesterov", momentum > 0, "--momentum above 0", {"momentum"});
  }

  std::vector<std::string> slots() const { return {"momentum"}; }
  void update(const ChunkUpdate& u) const {
    kernels::keras_sgd_update({.lr = u.lr,
                               .grad_scale = u.grad_scale,
                               .momentum = momentum,
                               .weight_decay = u.chunk.decay,
                               .nesterov = nesterov},
                              u.grad, u.slots[0], u.param, u.chunk.count);
  }
};

const OpDef keras_sgd_def = update_op("keras_sgd_update");

}  // namespace

OptimizerDef keras_sgd_optimizer() {
  return {.name = "keras-sgd",
          .help = "momentum as Keras has it, with the learning rate inside the buffer",
          .make = make_elementwise<Options, keras_sgd_def>};
}

}  // namespace convoy
