// Gradient descent with momentum, as PyTorch does it (spec C.1). One fused pass over parameters,
// gradients and momentum.

#include "kernels/sums.h"
#include "tensor/kernel.h"
#include "train/optimizer.h"

namespace convoy {
namespace {

struct Options {
  float momentum = 0.9f;
  float weight_decay = 1e-4f;
  bool nesterov = false;
  bool decay_norm_bias = false;

  // Each line is the whole option: config key, --flag, default, help and limits.
  void describe(Fields& field) {
    field("momentum", momentum, "share of the last step that is kept", between(0, 1));
    field("weight-decay", weight_decay, "pull towards zero, added to the gradient", at_least(0),
          {"wd"});
    field("nesterov", nesterov, "look ahead along the momentum");
    field("decay-norm-bias", decay_norm_bias, "apply weight decay to norm scales and biases too");
  }
};

struct Attrs {
  Options options;
  std::vector<UpdateChunk> chunks;
};

// in: params, grads, lr, grad_scale, skip [, momentum]; out: 1 when it updated
Types infer(const Node&, std::span<const TensorType>) { return {{{}}}; }

std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite&) {
  const Attrs a = n.attrs<Attrs>();
  const bool momentum = n.in.size() > 5;
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(static_cast<int64_t>(a.chunks.size()), [=](int task, const KernelArgs& args) {
    const bool skip = args.input(4)[0] != 0;
    if (task == 0) args.output(0)[0] = skip ? 0 : 1;
    if (skip) return;
    const UpdateChunk& chunk = a.chunks[static_cast<size_t>(task)];
    const kernels::SgdStep step{.lr = args.input(2)[0],
                                .grad_scale = args.input(3)[0],
                                .momentum = a.options.momentum,
                                .weight_decay = chunk.decay ? a.options.weight_decay : 0,
                                .damping = 0,
                                .nesterov = a.options.nesterov};
    // The update is the one node that writes to what it reads.
    auto* params = const_cast<float*>(args.input(0));
    float* buffer = momentum ? const_cast<float*>(args.input(5)) + chunk.offset : nullptr;
    kernels::sgd_update(step, args.input(1) + chunk.offset, buffer, params + chunk.offset,
                        chunk.count);
  });
  return kernel;
}

const OpDef sgd_def{.name = "sgd_update", .infer = infer, .kernel = kernel, .keeps = true};

class Sgd : public Optimizer {
 public:
  explicit Sgd(const Options& options) : options_(options) {}

  std::vector<std::string> slots() const override {
    return options_.momentum != 0 ? std::vector<std::string>{"momentum"}
                                  : std::vector<std::string>{};
  }
  void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const override {
    Values args{in.params, in.grads, in.lr, in.grad_scale, in.skip};
    args.insert(args.end(), in.slots.begin(), in.slots.end());
    b.output("updated", b.emit(sgd_def, args,
                               Attrs{options_, update_chunks(layout, options_.decay_norm_bias)}));
  }

 private:
  Options options_;
};

}  // namespace

OptimizerDef sgd_optimizer() {
  return {.name = "sgd",
          .help = "gradient descent with momentum",
          .make = [](Fields& field) -> std::unique_ptr<Optimizer> {
            Options o;
            o.describe(field);
            return std::make_unique<Sgd>(o);
          }};
}

}  // namespace convoy
