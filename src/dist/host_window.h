// Shared memory of the ranks on one host. Each rank has a row of floats, which the others read, and
// flags. A flag is the number of the last step in which the rank reached some point, for example: a
// part of its row is complete. What a flag means is up to the user of the window.
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

  // Sets a flag of this rank and publishes all its earlier writes: a rank for which `is_raised` is
  // true sees them.
  void raise_flag(int flag, uint64_t step);
  // Whether the flag of the rank at index `place` was raised in this step or a later one.
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
