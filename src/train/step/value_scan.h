// Reads the floats of a value of a plan: their range, and those that are not finite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/threads/thread_pool.h"
#include "tensor/shape.h"

namespace convoy {

struct ValueRange {
  double low = 0, high = 0;  // of the finite elements; both 0 if there are none
  int64_t count = 0;         // elements, without padding
  int64_t others = 0;        // thereof not finite
  int64_t first_other = -1;  // index in memory of the first of these
  bool first_is_nan = false;

  double largest() const { return high > -low ? high : -low; }
};

// Whether values of this type are read: floats of up to 32 bits.
bool is_scanned(DType type);

// The range of each of `parts` equal parts, one after another in memory. Padding of blocked
// layouts counts as finite.
std::vector<ValueRange> scan(const TensorType& type, const std::byte* data, int64_t parts,
                             ThreadPool& pool);
ValueRange joined(const std::vector<ValueRange>& parts);

}  // namespace convoy
