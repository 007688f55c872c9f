// The optimiser's buffers in one piece, for checkpoints. Where each process holds only its share,
// rank 0 puts them together for the while, the first in place of the gradients: between two steps
// nobody needs those.
#pragma once

#include <span>

#include "dist/transport.h"
#include "engine/state.h"
#include "train/update/update_shares.h"

namespace convoy {

class WholeSlots {
 public:
  // Keeps all three. The transport may be null when nothing is shared.
  WholeSlots(const State& state, const UpdateShares& shares, Transport* transport);
  ~WholeSlots();
  WholeSlots(const WholeSlots&) = delete;
  WholeSlots& operator=(const WholeSlots&) = delete;

  // What rank 0 takes for the while.
  static int64_t bytes(const StateLayout& layout, int slots, const UpdateShares& shares);

  // Whole on rank 0, or everywhere when nothing is shared.
  std::span<float> slot(int i) const;
  // From all shares to rank 0, and back. Every rank at once, between two steps.
  void gather() { move(false); }
  void scatter() { move(true); }

 private:
  void move(bool outward);

  const State& state_;
  const UpdateShares& shares_;
  Transport* transport_;
  Arena further_;
};

}  // namespace convoy
