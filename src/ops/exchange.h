// Collectives: nodes at which a plan exchanges values between replicas or processes.
#pragma once

#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

// Stands where the last of these gradients is complete: bucket number `bucket` can go.
void mark_bucket(Builder& b, int bucket, Values gradients);

// The vectors of the `span` replicas of a group are brought together. The node that begins it reads
// this replica's and gives the memory for all of them, one after another; the node that ends it
// reads that memory, and what it gives orders the readers of the vectors behind it.
extern const OpDef span_begin_def, span_end_def;
struct SpanAttrs {
  int exchange = 0;
  int64_t span = 1;
};

// Stands where each process has made its rows of a value, rank r those [cuts[r], cuts[r + 1]), and
// brings them to all. What it gives orders the readers of all rows behind it.
Value exchange_rows(Builder& b, Value rows, std::vector<int64_t> cuts);
// Of a node that exchanges rows, its first input.
const std::vector<int64_t>& row_cuts(const Node& node);

}  // namespace convoy::ops
