// An optimiser with an option of its own: a step by the sign of each element of the gradient.
#include <cmath>

#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float dead_zone = 0;

  void describe(Fields& field) {
    field("dead-zone", dead_zone, "gradients of at most this size move nothing", at_least(0));
  }

  std::vector<std::string> slots() const { return {}; }
  void update(const ChunkUpdate& u) const {
    for (int64_t i = 0; i < u.chunk.count; ++i) {
      const float g = u.grad[i] * u.grad_scale + u.chunk.decay * u.param[i];
      if (std::abs(g) > dead_zone) u.param[i] -= std::copysign(u.lr, g);
    }
  }
};

const OpDef sign_sgd_def = update_op("sign_sgd_update");

}  // namespace

OptimizerDef sign_sgd_optimizer() {
  return {.name = "sign-sgd",
          .help = "steps by the sign of the gradient",
          .make = make_elementwise<Options, sign_sgd_def>};
}

}  // namespace convoy
