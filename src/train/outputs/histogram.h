// How values are distributed: counts in buckets whose limits grow by a tenth from 1e-12 on, to both
// sides of zero, as TensorFlow's summaries have them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convoy {

struct Histogram {
  double least = 0, most = 0, sum = 0, squares = 0;
  int64_t count = 0;
  // A bucket counts the values below its limit that are not below the one before. Empty buckets
  // at both ends are left out, but for one before the first value.
  std::vector<double> limits, counts;
};

// Of the finite values, each multiplied by `scale`.
Histogram histogram_of(std::span<const float> values, double scale = 1);

}  // namespace convoy
