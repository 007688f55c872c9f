// Marks in a plan for what passes between processes. The nodes compute nothing: whoever runs the
// plan sees them between its steps (Executor::after_step) and does the rest.
#pragma once

#include <vector>

#include "graph/builder.h"

namespace convoy::ops {

// Stands where the last of these gradients is complete: bucket number `bucket` can go.
void mark_bucket(Builder& b, int bucket, Values gradients);

// The bucket that a node marks; -1: none.
int marked_bucket(const Node& node);

// Where vectors of `span` replicas are brought together, so that each of them has all: the node
// `begun` reads this replica's, `ended` reads where all shall stand, one after another.
struct SpanMark {
  int exchange = -1;  // counts from 0; -1: the node is neither
  bool ends = false;
};
extern const OpDef span_begin_def, span_end_def;
struct SpanAttrs {
  int exchange = 0;
  int64_t span = 1;
};
SpanMark marked_span(const Node& node);

// Stands where each process has made its rows of a value, rank r those [cuts[r], cuts[r + 1]):
// whoever reads all rows takes what is given as an input too, so as to come behind it.
Value mark_rows(Builder& b, Value rows, std::vector<int64_t> cuts);
// Those cuts; null: the node marks no rows. The rows are its first input.
const std::vector<int64_t>* marked_rows(const Node& node);

}  // namespace convoy::ops
