// Operators that move elements or do nothing. Our reshape keeps the first dimension and our concat
// joins channels; slices are only read as part of a sub-sampling shortcut.

#include <utility>

#include "export/onnx_family.h"
#include "ops/box_heads.h"
#include "ops/pad.h"
#include "ops/shape_ops.h"
#include "ops/shortcut.h"

namespace convoy {
namespace {

void reshape(OnnxCall& call) {
  const Shape from =
      call.is_constant(0) ? call.constant(0).shape : Shape(call.shape(call.value(0)));
  const std::vector<int64_t>& wanted = call.whole(1);
  if (call.integer("allowzero", 0) != 0) call.refuse("it allows zeros");
  if (wanted.empty() || wanted.size() > Shape::max_rank)
    call.refuse("to a shape of rank {}", wanted.size());
  Shape to;
  int open = -1;
  for (const int64_t dim : wanted) {
    const int i = to.rank();
    if (dim < -1 || (dim == -1 && open >= 0) || (dim == 0 && i >= from.rank()))
      call.refuse("its shape has a {} at {}", dim, i);
    if (dim == -1) open = i;
    to.append(dim == -1 ? 1 : dim == 0 ? from[i] : dim);
  }
  const int64_t rest = checked_count(to);
  if (rest < 1) call.refuse("from {} to {}", to_string(from), to_string(to));
  if (open >= 0) to[open] = from.count() / rest;
  if (!call.is_constant(0)) return call.give(ops::reshape(call.builder(), call.value(0), to));
  OnnxTensor constant = call.constant(0);
  if (checked_count(to) != from.count())
    call.refuse("from {} to {}", to_string(from), to_string(to));
  constant.shape = to;
  call.give(std::move(constant));
}

void flatten(OnnxCall& call) {
  const Value x = call.value(0);
  const Shape s = call.shape(x);
  const int64_t axis = call.integer("axis", 1);
  if ((axis < 0 ? axis + s.rank() : axis) != 1) call.refuse("at axis {}", axis);
  call.give(ops::reshape(call.builder(), x, {s[0], s.count() / s[0]}));
}

void concat(OnnxCall& call) {
  Values parts;
  for (size_t i = 0; i < call.inputs(); ++i) parts.push_back(call.value(i));
  if (parts.empty()) call.refuse("it has no input");
  const int64_t axis = call.integer("axis", 0);
  if ((axis < 0 ? axis + call.shape(parts[0]).rank() : axis) != 1)
    call.refuse("over axis {}", axis);
  call.give(parts.size() == 1 ? parts[0] : ops::concat(call.builder(), parts));
}

// Takes every step-th pixel in both directions, starting with the first.
void slice(OnnxCall& call) {
  if (call.opset() < 10) call.refuse("of operator set {}, older than 10", call.opset());
  const Value x = call.image(0);
  const Shape s = call.shape(x);
  const std::vector<int64_t>&starts = call.whole(1), &ends = call.whole(2), &axes = call.whole(3),
        &steps = call.whole(4);
  const bool plain = starts == std::vector<int64_t>{0, 0} && axes == std::vector<int64_t>{2, 3} &&
                     ends.size() == 2 && ends[0] >= s[2] && ends[1] >= s[3] && steps.size() == 2 &&
                     steps[0] == steps[1] && steps[0] >= 1 && steps[0] <= std::max(s[2], s[3]);
  if (!plain) call.refuse("other than every nth pixel of an image");
  call.give(ops::subsample_shortcut(call.builder(), x, s[1], steps[0]));
}

// Appends zeros around the image, or zero channels after the others.
void pad(OnnxCall& call) {
  if (call.opset() < 11) call.refuse("of operator set {}, older than 11", call.opset());
  const Value x = call.image(0);
  const std::vector<int64_t>& pads = call.whole(1);
  if (pads.size() != 8 || call.text("mode", "constant") != "constant" || call.has(3) ||
      (call.has(2) && call.floats(2).floats != std::vector{0.0f}))
    call.refuse("other than an image with zeros");
  for (const int64_t pad : pads) {
    if (pad < 0 || pad > (1 << 20)) call.refuse("by {}", pad);
  }
  if (pads[0] != 0 || pads[1] != 0 || pads[4] != 0) call.refuse("in front of images or channels");
  const ops::Padding around{pads[2], pads[3], pads[6], pads[7]};
  const bool pixels = around.top + around.left + around.bottom + around.right > 0;
  Value y = pixels ? ops::pad(call.builder(), x, around) : x;
  if (pads[5] > 0 || !pixels)
    y = ops::subsample_shortcut(call.builder(), y, call.shape(x)[1] + pads[5], 1);
  call.give(y);
}

OnnxTensor transposed(OnnxCall& call) {
  OnnxTensor out = call.floats(0);
  if (out.shape.rank() != 2 || call.integers("perm", {1, 0}) != std::vector<int64_t>{1, 0})
    call.refuse("other than of a matrix");
  const std::vector<float> from = std::exchange(out.floats, {});
  const int64_t rows = out.shape[0], columns = out.shape[1];
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r)
      out.floats.push_back(from[static_cast<size_t>(r * columns + c)]);
  }
  out.shape = {columns, rows};
  return out;
}

// A constant matrix, or the matrix of each sample. A matrix is a box head of one shape.
void transpose(OnnxCall& call) {
  if (call.is_constant(0)) return call.give(transposed(call));
  const Value x = call.value(0);
  const Shape s = call.shape(x);
  if (s.rank() != 3 || call.integers("perm", {}) != std::vector<int64_t>{0, 2, 1})
    call.refuse("other than of the matrix of each sample");
  const Value head = ops::reshape(call.builder(), x, {s[0], s[1], s[2], 1});
  call.give(ops::join_box_heads(call.builder(), {head}, s[1]));
}

void same(OnnxCall& call) {
  if (call.has(2)) call.refuse("it may be in training mode");
  call.give(call.value(0));
}

std::vector<OnnxAttribute> concat_attributes(const Node&) { return {onnx_integer("axis", 1)}; }

// A 0 in the shape keeps the first dimension, so any batch size works. A parameter is stored in the
// shape in which it is used.
void write_reshape(OnnxWriter& w, const Node& n) {
  const Shape& to = w.shape(n.out[0]);
  if (w.is_param(n.in[0])) return w.same(n, w.reshaped(n.in[0], to));
  std::vector<int64_t> dims(to.begin(), to.end());
  dims[0] = 0;
  w.write(n, "Reshape", {w.name(n.in[0]), w.integers(n, "shape", dims)});
}

// Before a max pool the pad is written as a convolution with one 1x1 filter of value 1 per channel:
// ONNX Runtime's optimiser would move a Pad of zeros into the following MaxPool, which pads with
// minus infinity.
void write_pad(OnnxWriter& w, const Node& n) {
  const ops::Padding p = ops::pad_padding(n);
  if (!w.is_read_by(n, "max_pool")) {
    return w.write(
        n, "Pad",
        {w.name(n.in[0]), w.integers(n, "pads", {0, 0, p.top, p.left, 0, 0, p.bottom, p.right})});
  }
  const int64_t channels = w.shape(n.in[0])[1];
  const std::string ones = w.floats(n.name + ".one", {channels, 1, 1, 1},
                                    std::vector(static_cast<size_t>(channels), 1.0f));
  w.write(n, "Conv", {w.name(n.in[0]), ones},
          {onnx_integer("group", channels), onnx_integers("kernel_shape", {1, 1}),
           onnx_integers("pads", {p.top, p.left, p.bottom, p.right})});
}

// Takes every stride-th pixel, then appends zero channels.
void write_shortcut(OnnxWriter& w, const Node& n) {
  const int64_t stride = ops::subsample_stride(n);
  const Shape &x = w.shape(n.in[0]), &y = w.shape(n.out[0]);
  const std::string pixels =
      w.step(n, "Slice",
             {w.name(n.in[0]), w.integers(n, "starts", {0, 0}), w.integers(n, "ends", {x[2], x[3]}),
              w.integers(n, "axes", {2, 3}), w.integers(n, "steps", {stride, stride})});
  w.write(n, "Pad", {pixels, w.integers(n, "pads", {0, 0, 0, 0, 0, y[1] - x[1], 0, 0})});
}

}  // namespace

OnnxFamily shape_onnx_family() {
  return {.forms = {{"concat", "Concat", concat_attributes},
                    {.op = "reshape", .write = write_reshape},
                    {.op = "pad", .write = write_pad},
                    {.op = "subsample_shortcut", .write = write_shortcut}},
          .readers = {{"Reshape", reshape},
                      {"Flatten", flatten},
                      {"Concat", concat},
                      {"Transpose", transpose},
                      {"Slice", slice},
                      {"Pad", pad},
                      {"Dropout", same},
                      {"Identity", same}}};
}

}  // namespace convoy
