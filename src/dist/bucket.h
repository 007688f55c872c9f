// A bucket: a range of floats of a vector that all processes hold (gradients or parameters). The
// ranks exchange one bucket at a time.
#pragma once

#include <cstdint>

namespace convoy {

struct Bucket {
  int64_t begin = 0, count = 0;
  int64_t end() const { return begin + count; }
  bool operator==(const Bucket&) const = default;
};

}  // namespace convoy
