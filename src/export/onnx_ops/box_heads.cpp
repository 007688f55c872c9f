// The heads of a detection network as rows, one for each default box: in ONNX a transposition of
// each head, then a concatenation, then a choice of columns if their order differs.

#include "ops/box_heads.h"

#include <algorithm>
#include <numeric>

#include "export/onnx_family.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

// Reorders the columns of the matrix of each sample. Both transpositions are box heads of one
// shape.
void gather(OnnxCall& call) {
  Builder& b = call.builder();
  const Value x = call.value(0);
  const Shape s = call.shape(x);
  const int64_t axis = call.integer("axis", 0);
  if (s.rank() != 3 || (axis != 2 && axis != -1))
    call.refuse("over axis {} of {}", axis, to_string(s));
  const std::vector<int64_t>& columns = call.whole(1);
  const bool fits = std::ranges::all_of(columns, [&](int64_t c) { return c >= 0 && c < s[2]; });
  if (static_cast<int64_t>(columns.size()) != s[2] || call.constant(1).shape.rank() != 1 || !fits)
    call.refuse("other than all of {} columns in another order", s[2]);
  const Value rows = ops::join_box_heads(b, {ops::reshape(b, x, {s[0], s[1], s[2], 1})}, s[1]);
  call.give(ops::join_box_heads(b, {ops::reshape(b, rows, {s[0], s[2], s[1], 1})}, s[2],
                                {columns.begin(), columns.end()}));
}

void write_join(OnnxWriter& w, const Node& n) {
  const ops::BoxHeads& heads = ops::box_heads(n);
  OnnxWriter::Names rows;
  for (const Value map : n.in) {
    const Shape& s = w.shape(map);
    const int64_t boxes = s[1] / heads.columns * s[2] * s[3];
    const std::string columns =
        w.step(n, "Reshape", {w.name(map), w.integers(n, "shape", {0, heads.columns, boxes})});
    rows.push_back(w.step(n, "Transpose", {columns}, {onnx_integers("perm", {0, 2, 1})}));
  }
  const std::vector<OnnxAttribute> over_boxes{onnx_integer("axis", 1)};
  const std::vector<int64_t> order(heads.order.begin(), heads.order.end());
  std::vector<int64_t> as_they_are(order.size());
  std::iota(as_they_are.begin(), as_they_are.end(), 0);
  if (order == as_they_are) return w.write(n, "Concat", rows, over_boxes);
  const std::string joined = w.step(n, "Concat", rows, over_boxes);
  w.write(n, "Gather", {joined, w.integers(n, "order", order)}, {onnx_integer("axis", 2)});
}

}  // namespace

OnnxFamily box_heads_onnx_family() {
  return {.forms = {{.op = "join_box_heads", .write = write_join}},
          .readers = {{"Gather", gather}}};
}

}  // namespace convoy
