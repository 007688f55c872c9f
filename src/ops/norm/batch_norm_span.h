// Batch norm over groups of replicas (--BN-span): its sums meet between two halves of the work.
#pragma once

#include "graph/graph.h"

namespace convoy::ops {

// Every batch norm of a training graph of one replica becomes: sums, an exchange, the rest; its
// gradient likewise. The statistics, also those that feed the running ones, are the group's. Norms
// that keep their statistics stay as they are.
void spread_batch_norms(Graph& graph, int64_t span);

}  // namespace convoy::ops
