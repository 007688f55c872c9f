// Numbers of a normal distribution, for kernels to work on.
#pragma once

#include <vector>

#include "base/random.h"

namespace convoy::kernels {

inline std::vector<float> random_values(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(random.normal());
  return values;
}

}  // namespace convoy::kernels
