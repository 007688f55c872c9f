// Shared memory of the ranks on one host: a row of floats for each rank, and flags that tell the
// other ranks up to which step the data of a row is valid.
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
  // Collective: every rank constructs one at the same time. With `alone`, or if the system refuses
  // shared memory, each rank gets a window for itself: `ranks()` is then only this rank.
  HostWindow(Transport& transport, int64_t floats, int flags, bool alone = false);

  // The ranks that share this window, ascending.
  const std::vector<int>& ranks() const { return ranks_; }
  std::span<float> mine() const { return row(own_); }
  // The row of the rank at index `place` of `ranks()`.
  std::span<float> row(size_t place) const;
  size_t place_of(int rank) const;

  // Publishes all earlier writes: a rank that reads the flag at `step` or later sees them.
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
