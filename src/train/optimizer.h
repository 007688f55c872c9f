// An optimiser is one file in optimizers/: its options, and the node that updates all parameters.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "compile/plan.h"
#include "config/fields.h"
#include "graph/builder.h"

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
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // Parameter-sized buffers it keeps, and what their tensors are called in checkpoints.
  virtual std::vector<std::string> slots() const = 0;
  // Writes the update. Its node must `keep` itself.
  virtual void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const = 0;
};

struct OptimizerDef {
  std::string_view name;
  std::string_view help;
  std::unique_ptr<Optimizer> (*make)(Fields& field);
};

const std::vector<OptimizerDef>& optimizer_catalog();
const OptimizerDef& find_optimizer(std::string_view name);

// A piece of the parameters that one task updates: all of it is decayed, or nothing.
struct UpdateChunk {
  int64_t offset, count;
  bool decay;
};
std::vector<UpdateChunk> update_chunks(const StateLayout& layout, bool decay_all);

}  // namespace convoy
