// Gradients that are too large are cut, before the optimiser sees them.
#pragma once

#include "config/fields.h"
#include "graph/builder.h"

namespace convoy {

struct StateLayout;
struct UpdateInputs;

struct Clipping {
  float norm = 0;   // of all gradients together; 0: none
  float value = 0;  // of each element; 0: none

  // Refuses both at once.
  void describe(Fields& field);
  // Writes what makes the gradients, or their scale, what they shall be.
  void build(Builder& b, UpdateInputs& in, const StateLayout& layout) const;
};

}  // namespace convoy
