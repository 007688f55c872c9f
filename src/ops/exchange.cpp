#include "ops/exchange.h"

#include <fmt/core.h>

#include <algorithm>

#include "ops/family.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct BucketAttrs {
  int bucket = 0;
};
struct RowsAttrs {
  int exchange = 0;
  std::vector<int64_t> cuts;
};

Types infer_token(const Node&, std::span<const TensorType>) { return {{{}}}; }

Types infer_gathered(const Node& n, std::span<const TensorType> in) {
  return {{{n.attrs<SpanAttrs>().span * in[0].shape.count()}, in[0].dtype}};
}

std::unique_ptr<Kernel> nothing(const Node&, const KernelSite&) {
  return std::make_unique<PhasedKernel>();
}

std::string describe_bucket(const Node& n) {
  return fmt::format("{}", n.attrs<BucketAttrs>().bucket);
}

std::string describe_span(const Node& n) {
  return fmt::format("{} of {}", n.attrs<SpanAttrs>().exchange, n.attrs<SpanAttrs>().span);
}

std::string describe_rows(const Node& n) {
  const std::vector<int64_t>& cuts = row_cuts(n);
  return fmt::format("{} of {} processes", cuts.back(), cuts.size() - 1);
}

// The end of the exchange is an action of the step's schedule.
Collective bucket_collective(const Node& n) {
  return {Collective::Kind::bucket, n.attrs<BucketAttrs>().bucket, true, false};
}
Collective span_begins(const Node& n) {
  return {Collective::Kind::span, n.attrs<SpanAttrs>().exchange, true, false};
}
Collective span_ends(const Node& n) {
  return {Collective::Kind::span, n.attrs<SpanAttrs>().exchange, false, true};
}
Collective rows_collective(const Node& n) {
  return {Collective::Kind::rows, n.attrs<RowsAttrs>().exchange};
}

const OpDef bucket_def{.name = "bucket_ready",
                       .infer = infer_token,
                       .kernel = nothing,
                       .describe = describe_bucket,
                       .runs_early = true,
                       .collective = bucket_collective,
                       .keeps = true};
const OpDef rows_def{.name = "exchange_rows",
                     .infer = infer_token,
                     .kernel = nothing,
                     .describe = describe_rows,
                     .collective = rows_collective};

}  // namespace

const OpDef span_begin_def{.name = "span_begin",
                           .infer = infer_gathered,
                           .kernel = nothing,
                           .describe = describe_span,
                           .runs_early = true,
                           .collective = span_begins};
const OpDef span_end_def{.name = "span_end",
                         .infer = infer_token,
                         .kernel = nothing,
                         .describe = describe_span,
                         .collective = span_ends};

void mark_bucket(Builder& b, int bucket, Values gradients) {
  b.emit(bucket_def, std::move(gradients), BucketAttrs{bucket});
}

Value exchange_rows(Builder& b, Value rows, std::vector<int64_t> cuts) {
  const Graph& graph = b.graph();
  const auto before =
      std::ranges::count_if(graph.order, [&](int id) { return graph.node(id).op == &rows_def; });
  return b.emit(rows_def, {rows}, RowsAttrs{static_cast<int>(before), std::move(cuts)});
}

const std::vector<int64_t>& row_cuts(const Node& node) { return node.attrs<RowsAttrs>().cuts; }

OpFamily exchange_ops() {
  return {.ops = {&bucket_def, &span_begin_def, &span_end_def, &rows_def}};
}

}  // namespace convoy::ops
