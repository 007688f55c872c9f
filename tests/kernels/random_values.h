// Numbers of a normal distribution, and bytes, for kernels to work on.
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

inline std::vector<uint8_t> random_bytes(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.bits());
  return bytes;
}

}  // namespace convoy::kernels
