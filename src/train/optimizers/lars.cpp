// LARS: scales the learning rate of each parameter by the ratio of its norm to its gradient's norm.
// Keras's and TensorFlow 1's forms differ in epsilon; their buffers differ only in sign. Norms are
// summed chunk by chunk in the order of the layout, independent of threads and processes.

#include <cmath>

#include "kernels/sums.h"
#include "kernels/updates.h"
#include "tensor/kernel.h"
#include "train/update/chunk_numbers.h"

namespace convoy {
namespace {

struct Options {
  float momentum = 0.9f;
  float eta = 0.001f;
  float epsilon = 0;
  float inner_decay = -1;
  std::vector<std::string> skip{"norm", "bias"};

  void describe(Fields& field) {
    field("momentum", momentum, "share of the last step that is kept", between(0, 1));
    field("lars-eta", eta, "step of a parameter as a share of its norm, at a learning rate of one",
          at_least(0), {"lars-eeta"});
    field("lars-epsilon", epsilon, "added to the norm that is divided by; Keras's is 1e-7",
          at_least(0));
    field("lars-weight-decay", inner_decay,
          "pull towards zero that is added after the gradient's norm was taken; --weight-decay is "
          "added before. -1: --weight-decay itself is added after",
          at_least(-1));
    field("lars-skip-list", skip,
          "parameters that keep their learning rate and have no such decay: kinds (norm, bias) or "
          "parts of names; beta, gamma and "
          "batch_norm mean norm");
  }

  bool skips(const StateLayout& layout, const StateLayout::Slot& slot) const {
    const ParamKind kind = param_kind(layout, slot);
    for (const std::string& word : skip) {
      const bool says_norm = word == "norm" || word == "beta" || word == "gamma" || word == "bn" ||
                             word.starts_with("batch_norm");
      if (says_norm ? kind == ParamKind::norm
          : word == "bias"
              ? kind == ParamKind::bias || (kind == ParamKind::norm && slot.name.ends_with(".bias"))
              : slot.name.find(word) != slot.name.npos) {
        return true;
      }
    }
    return false;
  }
};

struct RatesAttrs {
  Options options;
  std::vector<UpdateChunk> chunks;
  std::vector<char> skipped;  // per parameter
};

// in: sums of squares of each chunk's parameters and gradients; out: a factor of the learning rate
// for each parameter
Types infer_rates(const Node& n, std::span<const TensorType>) {
  return {{{static_cast<int64_t>(n.attrs<RatesAttrs>().skipped.size())}}};
}

std::unique_ptr<Kernel> rates_kernel(const Node& n, const KernelSite& site) {
  const RatesAttrs a = n.attrs<RatesAttrs>();
  const auto of_chunks = site.input<double>(0);
  const auto factors = site.output<float>(0);
  const auto count = a.chunks.size();
  return one_phase(1, [=](int, const KernelArgs& args) {
    const double* sums = of_chunks(args);
    float* rates = factors(args);
    for (size_t first = 0; first < count;) {
      const auto param = static_cast<size_t>(a.chunks[first].param);
      double weights = 0, gradients = 0;
      for (; first < count && static_cast<size_t>(a.chunks[first].param) == param; ++first) {
        weights += sums[2 * first];
        gradients += sums[2 * first + 1];
      }
      const double w = std::sqrt(weights), g = std::sqrt(gradients);
      const Options& o = a.options;
      const bool scales = !a.skipped[param] && w > 0 && g > 0;
      rates[param] = scales ? static_cast<float>(static_cast<double>(o.eta) * w /
                                                 (g + static_cast<double>(o.inner_decay) * w +
                                                  static_cast<double>(o.epsilon)))
                            : 1;
    }
  });
}

// in: params, grads, grad_scale
void sum_squares(const UpdateChunk& chunk, const ChunkInputs& in, double* sums) {
  const float* w = in[0] + chunk.offset;
  sums[0] = kernels::sum_of_squares(w, chunk.count);
  sums[1] = kernels::sum_of_squares(in[1] + chunk.offset, in[2][0], w, chunk.decay, chunk.count);
}

const OpDef rates_def{.name = "lars_rates", .infer = infer_rates, .kernel = rates_kernel};
const OpDef lars_def = update_op("lars_update");

class Lars : public Optimizer {
 public:
  Lars(const Options& options, const WeightDecay& decay) : options_(options), decay_(decay) {}

  std::vector<std::string> slots() const override { return {"momentum"}; }
  void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const override {
    const std::vector<UpdateChunk> chunks = update_chunks(layout, decay_, Apart::yes);
    std::vector<char> skipped;
    for (const StateLayout::Slot& slot : layout.params) {
      skipped.push_back(options_.skips(layout, slot));
    }
    const Values sums =
        emit_chunk_numbers(b, in, chunks, 2, {in.params, in.grads, in.grad_scale}, sum_squares);
    const Value rates = b.emit(rates_def, sums, RatesAttrs{options_, chunks, skipped});
    emit_update(
        b, lars_def, in, chunks,
        [o = options_, skipped](const ChunkUpdate& u) {
          const auto param = static_cast<size_t>(u.chunk.param);
          kernels::keras_sgd_update(
              {.lr = u.lr * u.further[param],
               .grad_scale = u.grad_scale,
               .momentum = o.momentum,
               .weight_decay = u.chunk.decay + (skipped[param] ? 0 : o.inner_decay),
               .nesterov = false},
              u.grad, u.slots[0], u.param, u.chunk.count);
        },
        rates);
  }

 private:
  Options options_;
  WeightDecay decay_;
};

}  // namespace

OptimizerDef lars_optimizer() {
  return {.name = "lars",
          .help = "momentum with a learning rate for each parameter by its norm; for large batches",
          .make = [](Fields& field, const OptimizerSite& site) -> std::unique_ptr<Optimizer> {
            Options o;
            o.describe(field);
            WeightDecay before = site.decay;
            if (o.inner_decay < 0) {
              o.inner_decay = before.of(ParamKind::weight);
              before.weight = 0;
            }
            return std::make_unique<Lars>(o, before);
          }};
}

}  // namespace convoy
