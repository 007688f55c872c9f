#include "ops/exchange.h"

#include <fmt/core.h>

#include "ops/family.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct BucketAttrs {
  int bucket = 0;
};

Types infer_mark(const Node&, std::span<const TensorType>) { return {{{}}}; }

std::unique_ptr<Kernel> nothing(const Node&, const KernelSite&) {
  return std::make_unique<PhasedKernel>();
}

std::string describe(const Node& n) { return fmt::format("{}", n.attrs<BucketAttrs>().bucket); }

const OpDef bucket_def{.name = "bucket_ready",
                       .infer = infer_mark,
                       .kernel = nothing,
                       .describe = describe,
                       .begins = true,
                       .keeps = true};

std::string describe_span(const Node& n) {
  return fmt::format("{} of {}", n.attrs<SpanAttrs>().exchange, n.attrs<SpanAttrs>().span);
}

struct RowsAttrs {
  std::vector<int64_t> cuts;
};

std::string describe_rows(const Node& n) {
  const std::vector<int64_t>& cuts = n.attrs<RowsAttrs>().cuts;
  return fmt::format("{} of {} processes", cuts.back(), cuts.size() - 1);
}

const OpDef rows_def{
    .name = "share_rows", .infer = infer_mark, .kernel = nothing, .describe = describe_rows};

Types infer_gathered(const Node& n, std::span<const TensorType> in) {
  return {{{n.attrs<SpanAttrs>().span * in[0].shape.count()}, in[0].dtype}};
}

}  // namespace

const OpDef span_begin_def{.name = "span_begin",
                           .infer = infer_gathered,
                           .kernel = nothing,
                           .describe = describe_span,
                           .begins = true};
const OpDef span_end_def{
    .name = "span_end", .infer = infer_mark, .kernel = nothing, .describe = describe_span};

SpanMark marked_span(const Node& node) {
  const bool ends = node.op == &span_end_def;
  if (!ends && node.op != &span_begin_def) return {};
  return {node.attrs<SpanAttrs>().exchange, ends};
}

void mark_bucket(Builder& b, int bucket, Values gradients) {
  b.emit(bucket_def, std::move(gradients), BucketAttrs{bucket});
}

int marked_bucket(const Node& node) {
  return node.op == &bucket_def ? node.attrs<BucketAttrs>().bucket : -1;
}

Value mark_rows(Builder& b, Value rows, std::vector<int64_t> cuts) {
  return b.emit(rows_def, {rows}, RowsAttrs{std::move(cuts)});
}

const std::vector<int64_t>* marked_rows(const Node& node) {
  return node.op == &rows_def ? &node.attrs<RowsAttrs>().cuts : nullptr;
}

}  // namespace convoy::ops

namespace convoy {

OpFamily exchange_ops() {
  return {.ops = {&ops::bucket_def, &ops::span_begin_def, &ops::span_end_def, &ops::rows_def},
          .fusions = {}};
}

}  // namespace convoy
