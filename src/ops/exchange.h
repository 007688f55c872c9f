// The nodes at which a plan exchanges values between replicas or ranks (graph/op.h: Collective).
#pragma once

#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

// Inserted where the last of these gradients is complete: the exchange of bucket `bucket` may
// begin.
void mark_bucket(Builder& b, int bucket, Values gradients);

// Collects the vectors of the `span` replicas of a group. `span_begin` reads this replica's vector;
// its output is the memory for all of them, one after another. `span_end` reads that memory, and
// its output is a token: nodes that read the vectors also take the token, so that they run after
// it.
extern const OpDef span_begin_def, span_end_def;
struct SpanAttrs {
  int exchange = 0;
  int64_t span = 1;
};

// Inserted where each rank has computed its rows of a value (rank r has [cuts[r], cuts[r + 1])):
// sends them to all ranks. Returns a token that orders readers of all rows after it.
Value exchange_rows(Builder& b, Value rows, std::vector<int64_t> cuts);
// The cuts of such a node.
const std::vector<int64_t>& row_cuts(const Node& node);

}  // namespace convoy::ops
