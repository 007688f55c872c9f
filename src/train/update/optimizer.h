// An optimizer is one file in optimizers/: its options, and the node that updates all parameters.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "compile/plan.h"
#include "config/fields.h"
#include "graph/builder.h"
#include "train/update/kept_weights.h"
#include "train/update/param_groups.h"
#include "train/update/update_shares.h"

namespace convoy {

// The values of the update graph. Vectors are whole regions of the state; the others are scalars
// that the trainer binds anew for every step.
struct UpdateInputs {
  Value params, grads;
  std::vector<Value> slots;
  Value lr;
  Value
      grad_scale;  // gradients are sums: over replicas, accumulation, and scaled by the loss scale
  Value step;      // updates so far
  Value skip;      // not 0: change nothing
  Value rounding_key;  // s64: of this step, if parameters are kept in 16 bits
  KeptWeights kept = {};
  std::vector<Bucket> kept_ranges = {};
  // Which parameters this process updates: only their floats are in `slots`, and only their
  // gradients are complete.
  UpdateShares shares;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // The names of its parameter-sized buffers, used for their tensors in checkpoints.
  virtual std::vector<std::string> slots() const = 0;
  // Appends the update. Its node must be marked `keep`.
  virtual void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const = 0;
};

// What an optimizer may depend on besides its own options.
struct OptimizerSite {
  int64_t global_batch = 1;
  WeightDecay decay;
};

struct OptimizerDef {
  std::string_view name;
  std::string_view help;
  std::unique_ptr<Optimizer> (*make)(Fields& field, const OptimizerSite& site);
};

const std::vector<OptimizerDef>& optimizer_catalog();
const OptimizerDef& find_optimizer(std::string_view name);

// A range of the parameters that one task updates, with one decay and rate.
struct UpdateChunk {
  int64_t offset, count;
  float decay;
  float rate;  // factor of the learning rate
  int param;   // index in the layout of its first parameter
};
// The chunks of all trainable parameters, with their decay and rate. Small parameters with the same
// decay and rate share a chunk unless `apart` is yes.
enum class Apart { no, yes };
std::vector<UpdateChunk> update_chunks(const StateLayout& layout, const WeightDecay& decay,
                                       Apart apart = Apart::no);

// The inputs of the update of a chunk.
struct ChunkUpdate {
  const UpdateChunk& chunk;
  float lr, grad_scale, step;
  const float* grad;
  float* param;
  std::array<float*, 2> slots;  // null if absent
  const float* further;         // the additional input, if given
};

// An op that runs `update` on every chunk, or on none if the step is skipped.
using UpdateBody = std::function<void(const ChunkUpdate&)>;
OpDef update_op(std::string_view name);
// Appends its node for the parts of the chunks in this process's share. `further`: an additional
// value that every chunk gets.
void emit_update(Builder& b, const OpDef& op, const UpdateInputs& in,
                 const std::vector<UpdateChunk>& chunks, UpdateBody update, Value further = {});

// An optimizer that updates each element independently of all others.
std::unique_ptr<Optimizer> elementwise_optimizer(const OpDef& op, std::vector<std::string> slots,
                                                 const WeightDecay& decay, UpdateBody update);
// Makes one from its Options, which define its slots and the update of a chunk.
template <class Options, const OpDef& op>
std::unique_ptr<Optimizer> make_elementwise(Fields& field, const OptimizerSite& site) {
  Options options;
  options.describe(field);
  if constexpr (requires { options.settle(site); }) options.settle(site);
  return elementwise_optimizer(op, options.slots(), site.decay,
                               [options](const ChunkUpdate& u) { options.update(u); });
}

}  // namespace convoy
