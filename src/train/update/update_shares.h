// Which process updates which parameters when the processes of a run share the update: each has a
// consecutive range, and optimizer buffers only for that range.
#pragma once

#include <vector>

#include "compile/plan.h"
#include "dist/bucket.h"

namespace convoy {

// The number of floats up to the end of the last trainable parameter; gradients beyond are not
// used.
int64_t learning_floats(const StateLayout& layout);

struct UpdateShares {
  // The ranges by rank, adjacent, possibly empty. A single range: every process updates all.
  std::vector<Bucket> all;
  int rank = 0;

  // Without sharing.
  static UpdateShares whole(const StateLayout& layout);
  // Nearly equal ranges with boundaries between the chunks of single parameters (Apart::yes). So a
  // sum over a chunk is computed in one process, in the same order as by a single process.
  static UpdateShares split(const StateLayout& layout, int processes, int rank);

  bool is_shared() const { return all.size() > 1; }
  const Bucket& mine() const { return all[static_cast<size_t>(rank)]; }
  // The number of floats of each optimizer buffer in this process.
  int64_t slot_floats() const { return mine().count; }
};

}  // namespace convoy
