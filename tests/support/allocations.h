// Counts what operator new is asked for, ours and what oneDNN asks for inside apart.
#pragma once

#include <cstdint>

namespace convoy::test {

struct Allocations {
  int64_t ours = 0, onednn = 0;
  bool operator==(const Allocations&) const = default;
};

// In all threads, from construction on.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  Allocations so_far() const;
  // Bytes of all of them together, and of the largest.
  int64_t bytes() const;
  int64_t largest_bytes() const;
};

}  // namespace convoy::test
