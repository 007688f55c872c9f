// Convolution of images [n, c, h, w] with weights [oc, ic / groups, kh, kw], and its gradients. The
// algorithm follows from ops/conv/conv_algorithm.h.
#pragma once

#include <optional>

#include "graph/builder.h"
#include "tensor/onednn.h"

namespace convoy::ops {

struct Padding {
  // TensorFlow's SAME: out = ceil(in / stride); an odd pixel of padding goes to the bottom and
  // right.
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

// The convolution that a node of this family computes, for the node's whole batch; nothing for
// other nodes. The node alone does not tell how its images are stored: then fp32.
struct ConvCall {
  onednn::ConvPass pass;
  onednn::ConvShape shape;
};
std::optional<ConvCall> conv_call(const Node& node);
std::optional<ConvCall> conv_call(const Graph& graph, int node);

// Replaces SAME by the explicit padding for this input and window.
Padding resolve_padding(const Padding& padding, int64_t ih, int64_t iw, int64_t kh, int64_t kw,
                        int64_t stride);

}  // namespace convoy::ops
