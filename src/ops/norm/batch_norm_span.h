// Batch norm over groups of `span` consecutive replicas (--bn-span). Every replica is computed by
// an executor of its own, all in lockstep. A norm is divided into two ops: the first computes the
// sums of the replica, the second normalises with the sums of the whole group; between them the
// replicas of the group exchange their sums.
#pragma once

#include "graph/graph.h"

namespace convoy::ops {

// In the training graph of one replica, with gradients and after fusion (the pass `distribute`),
// replaces every batch norm by these ops and the exchange, and its gradient likewise. All
// statistics are then those of the group, also those that update the running ones; the gradients of
// gamma and beta remain those of the replica, to be summed like all others. Norms with frozen
// statistics are not changed.
void insert_span_exchanges(Graph& graph, int64_t span);

}  // namespace convoy::ops
