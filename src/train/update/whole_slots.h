// The complete optimizer buffers, for checkpoints. If each process has only its share, rank 0
// gathers them temporarily; the first buffer reuses the memory of the gradients, which are not
// needed between two steps.
#pragma once

#include <span>

#include "dist/transport.h"
#include "engine/state.h"
#include "train/update/update_shares.h"

namespace convoy {

class WholeSlots {
 public:
  // Keeps all three. The transport may be null if the update is not shared.
  WholeSlots(const State& state, const UpdateShares& shares, Transport* transport);
  ~WholeSlots();
  WholeSlots(const WholeSlots&) = delete;
  WholeSlots& operator=(const WholeSlots&) = delete;

  // The memory that rank 0 needs temporarily.
  static int64_t bytes(const StateLayout& layout, int slots, const UpdateShares& shares);

  // Complete on rank 0, or on every rank if the update is not shared.
  std::span<float> slot(int i) const;
  // Gathers all shares on rank 0, or distributes them. Collective, between two steps.
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
