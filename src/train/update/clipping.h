// Clips gradients that are too large, before the optimizer uses them.
#pragma once

#include "config/fields.h"
#include "graph/builder.h"

namespace convoy {

struct StateLayout;
struct UpdateInputs;

struct Clipping {
  float norm = 0;   // limit of the norm of all gradients; 0: off
  float value = 0;  // limit of each element; 0: off

  // Refuses both at once.
  void describe(Fields& field);
  // Appends the nodes that clip the gradients or reduce their scale.
  void build(Builder& b, UpdateInputs& in, const StateLayout& layout) const;
};

}  // namespace convoy
