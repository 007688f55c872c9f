// Who updates which parameters when the processes of a run share that work: each a run of them, and
// the optimiser's buffers of these alone.
#pragma once

#include <vector>

#include "compile/plan.h"
#include "dist/bucket.h"

namespace convoy {

// The floats up to the end of the last parameter that learns: no gradient behind them is read.
int64_t learning_floats(const StateLayout& layout);

struct UpdateShares {
  // By rank, one behind the other; a single one: everybody updates everything. It may be empty.
  std::vector<Bucket> all;
  int rank = 0;

  // Nothing is shared.
  static UpdateShares whole(const StateLayout& layout);
  // As equal as borders allow that lie between the chunks of single parameters (Apart::yes): what
  // is summed over such a chunk is summed in one place, in the order that a single process has.
  static UpdateShares split(const StateLayout& layout, int processes, int rank);

  bool is_shared() const { return all.size() > 1; }
  const Bucket& mine() const { return all[static_cast<size_t>(rank)]; }
  // The floats of one of the optimiser's buffers here.
  int64_t slot_floats() const { return mine().count; }
};

}  // namespace convoy
