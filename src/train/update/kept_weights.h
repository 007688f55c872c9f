// Parameters and optimizer buffers that are kept in 16 bits (--precision 16.16): after each update
// they are rounded to numbers of the 16-bit type. Scales and shifts of norms stay in fp32, as in
// Keras. The random bits of stochastic rounding are functions of seed, step and the element's place
// in the layout, so they depend neither on threads nor on processes.
#pragma once

#include <span>
#include <vector>

#include "compile/plan.h"
#include "dist/bucket.h"

namespace convoy {

struct KeptWeights {
  DType type = DType::f32;  // f32: nothing is rounded
  bool stochastic = true;   // else to nearest, ties to even

  bool rounds() const { return type != DType::f32; }
  // The ranges of the layout that are rounded, in the order of their offsets.
  std::vector<Bucket> ranges(const StateLayout& layout) const;
  // Rounds `count` floats; `place`: the index of the first in its layout. Which vector it is
  // (parameters: 0; a buffer: 1, 2) is part of the key.
  void round(uint64_t key, int vector, int64_t place, float* values, int64_t count) const;
  // Rounds initial parameters to nearest.
  void round_first(const StateLayout& layout, std::span<float> params) const;
};

}  // namespace convoy
