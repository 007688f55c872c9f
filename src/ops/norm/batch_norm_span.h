// Batch norm over groups of replicas (--BN-span): its sums are exchanged between two halves of the
// work.
#pragma once

#include "graph/graph.h"

namespace convoy::ops {

// In the training graph of one replica, replaces every batch norm by its sums, their exchange and
// the normalisation; its gradient likewise. The statistics, also those that update the running
// ones, are the group's. Norms with frozen statistics stay.
void spread_batch_norms(Graph& graph, int64_t span);

}  // namespace convoy::ops
