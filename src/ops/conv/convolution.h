#pragma once

#include <optional>

#include "graph/builder.h"
#include "tensor/onednn.h"

namespace convoy::ops {

struct Padding {
  // TensorFlow's SAME: out = ceil(in / stride), the odd pixel goes to the bottom and right.
  static constexpr int64_t same = -1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;

  static Padding all(int64_t p) { return {p, p, p, p}; }
  static Padding like_tensorflow() { return {same, same, same, same}; }
};

struct ConvOptions {
  int64_t stride = 1;
  Padding padding = {};
  int64_t groups = 1;
};

// x [n, ic, ih, iw], w [oc, ic / groups, kh, kw] -> [n, oc, oh, ow].
Value convolution(Builder& b, Value x, Value w, const ConvOptions& options);

// The convolution a node of this family computes, of the node's whole batch; none for others.
struct ConvCall {
  onednn::ConvPass pass;
  onednn::ConvShape shape;
};
std::optional<ConvCall> conv_call(const Node& node);

// SAME made explicit for this input and window.
Padding resolve_padding(const Padding& padding, int64_t ih, int64_t iw, int64_t kh, int64_t kw,
                        int64_t stride);

}  // namespace convoy::ops
