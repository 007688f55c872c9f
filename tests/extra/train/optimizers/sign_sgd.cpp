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
};

const OpDef sign_sgd_def = update_op("sign_sgd_update");

class SignSgd final : public Optimizer {
 public:
  SignSgd(const Options& options, const WeightDecay& decay) : options_(options), decay_(decay) {}

  std::vector<std::string> slots() const override { return {}; }
  void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const override {
    emit_update(b, sign_sgd_def, in, update_chunks(layout, decay_),
                [zone = options_.dead_zone](const ChunkUpdate& u) {
                  for (int64_t i = 0; i < u.chunk.count; ++i) {
                    const float g = u.grad[i] * u.grad_scale + u.chunk.decay * u.param[i];
                    if (std::abs(g) > zone) u.param[i] -= std::copysign(u.lr, g);
                  }
                });
  }

 private:
  Options options_;
  WeightDecay decay_;
};

}  // namespace

OptimizerDef sign_sgd_optimizer() {
  return {.name = "sign-sgd",
          .help = "steps by the sign of the gradient",
          .make = make_optimizer<SignSgd, Options>};
}

}  // namespace convoy
