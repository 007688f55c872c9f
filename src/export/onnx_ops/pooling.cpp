#include "ops/pooling.h"

#include "export/onnx_family.h"
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

std::vector<OnnxAttribute> attributes(const Node& n) {
  const ops::PoolOptions o = ops::pool_options(n);
  const ops::Padding& p = o.padding;
  return {onnx_integers("kernel_shape", {o.size, o.size}),
          onnx_integers("pads", {p.top, p.left, p.bottom, p.right}),
          onnx_integers("strides", {o.stride, o.stride})};
}

std::vector<OnnxAttribute> average_attributes(const Node& n) {
  std::vector<OnnxAttribute> all = attributes(n);
  all.push_back(onnx_integer("count_include_pad", ops::pool_options(n).count_padding ? 1 : 0));
  return all;
}

// Our op gives [n, c], ONNX's gives [n, c, 1, 1].
void write_global(OnnxWriter& w, const Node& n) {
  w.write(n, "Flatten", {w.step(n, "GlobalAveragePool", {w.name(n.in[0])})},
          {onnx_integer("axis", 1)});
}

}  // namespace

OnnxFamily pooling_onnx_family() {
  return {.forms = {{"max_pool", "MaxPool", attributes},
                    {"avg_pool", "AveragePool", average_attributes},
                    {.op = "global_avg_pool", .write = write_global}},
          .readers = {{"MaxPool", max_pool},
                      {"AveragePool", avg_pool},
                      {"GlobalAveragePool", global_avg_pool}}};
}

}  // namespace convoy
