// Conv. Its bias is one more affine map of the channels.

#include "ops/conv/convolution.h"

#include "export/onnx_nodes.h"
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

}  // namespace

OnnxNodes convolution_onnx_nodes() { return {{"Conv", conv}}; }

}  // namespace convoy
