// RMSProp as in TensorFlow 1: epsilon inside the square root, the learning rate inside the buffer,
// and a mean of squares that starts at one.

#include <cmath>

#include "base/error.h"
#include "kernels/updates.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float momentum = 0.9f;
  float rho = 0;
  double base_exponent = 0;
  float epsilon = 0.001f;

  void describe(Fields& field) {
    field("momentum", momentum, "share of the last step that is kept", between(0, 1));
    field("rmsprop-decay", rho,
          "share of the old mean of squared gradients that is kept; 0: see "
          "--rmsprop-base-decay-exp",
          between(0, 1));
    field("rmsprop-base-decay-exp", base_exponent,
          "E: that share is 1 - global batch * 2^E; -14 is EfficientNet's. 0: see --rmsprop-decay");
    field("rmsprop-epsilon", epsilon, "added to that mean under the root", at_least(0));
  }

  void settle(const OptimizerSite& site) {
    if (rho > 0 && base_exponent != 0) {
      raise(Fault::usage,
            "--rmsprop-decay and --rmsprop-base-decay-exp say the same thing twice; try: one of "
            "them");
    }
    if (base_exponent == 0) {
      if (rho == 0) rho = 0.9f;
      return;
    }
    const double share = static_cast<double>(site.global_batch) * std::exp2(base_exponent);
    if (!(share <= 1)) {
      raise(Fault::usage,
            "--rmsprop-base-decay-exp {} with a global batch of {} would keep less than nothing; "
            "try: a smaller one, or --rmsprop-decay 0.9",
            base_exponent, site.global_batch);
    }
    rho = static_cast<float>(1 - share);
  }

  std::vector<std::string> slots() const { return {"rms", "momentum"}; }
  void update(const ChunkUpdate& u) const {
    kernels::tf_rmsprop_update({.lr = u.lr,
                                .grad_scale = u.grad_scale,
                                .momentum = momentum,
                                .weight_decay = u.chunk.decay,
                                .decay = rho,
                                .epsilon = epsilon},
                               u.step == 0, u.grad, u.slots[0], u.slots[1], u.param, u.chunk.count);
  }
};

const OpDef tf_rmsprop_def = update_op("tf_rmsprop_update");

}  // namespace

OptimizerDef tf_rmsprop_optimizer() {
  return {.name = "tf-rmsprop",
          .help = "RMSProp as TensorFlow 1 has it",
          .make = make_elementwise<Options, tf_rmsprop_def>};
}

}  // namespace convoy
