// Memory of the ranks of one host that all of them see: a row of floats for each rank, and flags
// that say up to which step something in it is true.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "dist/transport.h"
#include "tensor/arena.h"

namespace convoy {

class HostWindow {
 public:
  // Every rank makes one at the same time. Where the system refuses shared memory, or with `alone`,
  // each rank is by itself: `ranks()` is only this one.
  HostWindow(Transport& transport, int64_t floats, int flags, bool alone = false);

  // Those who share it, ascending.
  const std::vector<int>& ranks() const { return ranks_; }
  std::span<float> mine() const { return row(own_); }
  // Of the rank at that place of `ranks()`.
  std::span<float> row(size_t place) const;
  size_t place_of(int rank) const;

  // Everything written before is seen by who sees the flag at `step` or later.
  void raise_flag(int flag, uint64_t step);
  bool is_raised(size_t place, int flag, uint64_t step) const;

 private:
  std::atomic<uint64_t>& flag_at(size_t place, int flag) const;

  std::vector<int> ranks_;
  size_t own_ = 0;
  int64_t floats_ = 0;
  int64_t flags_ = 0;
  SharedMemory shared_;
  Arena lone_;
  std::byte* memory_ = nullptr;
};

}  // namespace convoy
