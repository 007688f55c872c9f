// Conv. When it is read, its bias becomes a separate affine map of the channels.

#include "ops/conv/convolution.h"

#include "export/onnx_family.h"
#include "export/onnx_window.h"

namespace convoy {
namespace {

void conv(OnnxCall& call) {
  const Value x = call.image(0);
  const OnnxTensor& w = call.floats(1);
  if (w.shape.rank() != 4)
    call.refuse("its filters are {}, of rank 4 they must be", to_string(w.shape));
  const std::vector<int64_t> kernel = call.integers("kernel_shape", {w.shape[2], w.shape[3]});
  if (kernel != std::vector{w.shape[2], w.shape[3]})
    call.refuse("its kernel_shape is not that of its filters");
  const int64_t groups = call.integer("group", 1);
  if (groups < 1 || checked_count(w.shape) < 1)
    call.refuse("{} groups of filters {}", groups, to_string(w.shape));
  const OnnxWindow window = onnx_window(call, call.shape(x), w.shape[2], w.shape[3]);
  const Value filters = call.param(1, w.shape, w.floats);
  Value y =
      ops::convolution(call.builder(), x, filters,
                       {.stride = window.stride, .padding = window.padding, .groups = groups});
  if (call.has(2))
    y = call.affine(y, std::vector(static_cast<size_t>(w.shape[0]), 1.0f), call.floats(2).floats);
  call.give(y);
}

void write_conv(OnnxWriter& w, const Node& n) {
  const onednn::ConvShape s = ops::conv_call(n)->shape;
  OnnxWriter::Names in = w.conv_weights(n);
  in.insert(in.begin(), w.name(n.in[0]));
  w.write(n, "Conv", in,
          {onnx_integers("dilations", {1, 1}), onnx_integer("group", s.groups),
           onnx_integers("kernel_shape", {s.kh, s.kw}),
           onnx_integers("pads", {s.pad_top, s.pad_left, s.pad_bottom, s.pad_right}),
           onnx_integers("strides", {s.stride_h, s.stride_w})});
}

}  // namespace

OnnxFamily convolution_onnx_family() {
  return {.forms = {{.op = "convolution", .write = write_conv}}, .readers = {{"Conv", conv}}};
}

}  // namespace convoy
