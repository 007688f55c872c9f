#include "ops/pooling.h"

#include "export/onnx_nodes.h"
#include "export/onnx_window.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

ops::PoolOptions options(const OnnxCall& call, const Shape& x) {
  const std::vector<int64_t> kernel = call.integers("kernel_shape", {});
  if (kernel.size() != 2 || kernel[0] != kernel[1]) call.refuse("its window is no square");
  const OnnxWindow window = onnx_window(call, x, kernel[0], kernel[1]);
  return {.size = kernel[0],
          .stride = window.stride,
          .padding = window.padding,
          .count_padding = call.integer("count_include_pad", 0) != 0};
}

void max_pool(OnnxCall& call) {
  const Value x = call.image(0);
  call.give(ops::max_pool(call.builder(), x, options(call, call.shape(x))));
}

void avg_pool(OnnxCall& call) {
  const Value x = call.image(0);
  call.give(ops::avg_pool(call.builder(), x, options(call, call.shape(x))));
}

void global_avg_pool(OnnxCall& call) {
  const Value x = call.image(0);
  const Shape s = call.shape(x);
  call.give(
      ops::reshape(call.builder(), ops::global_avg_pool(call.builder(), x), {s[0], s[1], 1, 1}));
}

}  // namespace

OnnxNodes pooling_onnx_nodes() {
  return {{"MaxPool", max_pool}, {"AveragePool", avg_pool}, {"GlobalAveragePool", global_avg_pool}};
}

}  // namespace convoy
