// An optimiser is one file in optimizers/: its options, and the node that updates all parameters.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "compile/plan.h"
#include "config/fields.h"
#include "graph/builder.h"
#include "train/update/param_groups.h"
#include "train/update/update_shares.h"

namespace convoy {

// What the update graph offers. Vectors are whole regions of the state; the rest are scalars that
// the trainer binds anew for every step.
struct UpdateInputs {
  Value params, grads;
  std::vector<Value> slots;
  Value lr;
  Value
      grad_scale;  // gradients are sums: over replicas, accumulation, and scaled by the loss scale
  Value step;      // updates made so far
  Value skip;      // not 0: leave everything as it is
  // What of the parameters is updated here: slots hold these floats alone, and gradients are
  // complete there alone.
  UpdateShares shares;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // Parameter-sized buffers it keeps, and what their tensors are called in checkpoints.
  virtual std::vector<std::string> slots() const = 0;
  // Writes the update. Its node must `keep` itself.
  virtual void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const = 0;
};

// What an optimiser may depend on besides its own options.
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

// A piece of the parameters that one task updates, in one way.
struct UpdateChunk {
  int64_t offset, count;
  float decay;
  float rate;  // share of the learning rate
  int param;   // the number of the parameter in the layout, or of the first of several
};
// Each with the decay and rate of its parameters; frozen ones have none. Small parameters of one
// decay and rate share a chunk, unless they must lie `apart`.
enum class Apart { no, yes };
std::vector<UpdateChunk> update_chunks(const StateLayout& layout, const WeightDecay& decay,
                                       Apart apart = Apart::no);

// What the update of a chunk sees.
struct ChunkUpdate {
  const UpdateChunk& chunk;
  float lr, grad_scale, step;
  const float* grad;
  float* param;
  std::array<float*, 2> slots;  // null: there is none
  const float* further;         // the input that came last, if one was given
};

// An op that runs `update` on every chunk, or on none when the step is to be skipped.
using UpdateBody = std::function<void(const ChunkUpdate&)>;
OpDef update_op(std::string_view name);
// Writes its node, for what the chunks have in this process's share. `further`: one more value that
// every chunk sees.
void emit_update(Builder& b, const OpDef& op, const UpdateInputs& in,
                 const std::vector<UpdateChunk>& chunks, UpdateBody update, Value further = {});

// An optimiser that looks at each element alone.
std::unique_ptr<Optimizer> elementwise_optimizer(const OpDef& op, std::vector<std::string> slots,
                                                 const WeightDecay& decay, UpdateBody update);
// How one is made of its options, which tell its slots and update a chunk.
template <class Options, const OpDef& op>
std::unique_ptr<Optimizer> make_elementwise(Fields& field, const OptimizerSite& site) {
  Options options;
  options.describe(field);
  if constexpr (requires { options.settle(site); }) options.settle(site);
  return elementwise_optimizer(op, options.slots(), site.decay,
                               [options](const ChunkUpdate& u) { options.update(u); });
}

}  // namespace convoy
