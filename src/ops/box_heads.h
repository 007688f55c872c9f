// Joins the heads of a detection network: one row of numbers for each default box.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// Each map is the output of a head, [n, columns * shapes, h, w], with channel = column * shapes +
// shape, as in MLPerf's PyTorch SSD. Returns [n, boxes, columns], f32, with the boxes in the order
// of boxes/default_boxes.h: map after map, shape after shape, row after row. `order[j]` is the
// column of the heads that becomes column j; empty: the same.
Value join_box_heads(Builder& b, const Values& maps, int64_t columns,
                     const std::vector<int>& order = {});

// How such a node joins: for the ONNX form.
struct BoxHeads {
  int64_t columns;
  std::vector<int> order;  // one entry per column
};
const BoxHeads& box_heads(const Node& node);

}  // namespace convoy::ops
