#include "ops/elementwise/activation.h"

#include "export/onnx_family.h"
#include "ops/loss/softmax.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

void relu(OnnxCall& call) { call.give(ops::relu(call.builder(), call.value(0))); }
void sigmoid(OnnxCall& call) { call.give(ops::sigmoid(call.builder(), call.value(0))); }

void leaky_relu(OnnxCall& call) {
  const float slope = call.number("alpha", 0.01f);
  if (!(slope > 0)) call.refuse("its alpha is {}", slope);
  call.give(ops::leaky_relu(call.builder(), call.value(0), slope));
}

// Softmax is over one axis since operator set 13; before, over all axes from that one on. Ours is
// over dimension 1 of a matrix.
void softmax(OnnxCall& call) {
  Builder& b = call.builder();
  const Value x = call.value(0);
  const Shape s = call.shape(x);
  int64_t axis = call.integer("axis", call.opset() >= 13 ? -1 : 1);
  if (axis < 0) axis += s.rank();
  int64_t behind = 1;
  for (int i = 2; i < s.rank(); ++i) behind *= s[i];
  if (axis != 1 || s.rank() < 2 || (call.opset() >= 13 && behind != 1))
    call.refuse("over axis {} of {}", axis, to_string(s));
  const Value rows = ops::reshape(b, x, {s[0], s.count() / s[0]});
  call.give(ops::reshape(b, ops::softmax(b, rows), s));
}

std::vector<OnnxAttribute> leaky_attributes(const Node& n) {
  return {onnx_number("alpha", n.attrs<float>())};
}

// x * sigmoid(x), since ONNX has no swish before operator set 24.
void write_swish(OnnxWriter& w, const Node& n) {
  const std::string x = w.name(n.in[0]);
  w.write(n, "Mul", {x, w.step(n, "Sigmoid", {x})});
}

}  // namespace

OnnxFamily activation_onnx_family() {
  return {
      .forms = {{"relu", "Relu"},
                {"leaky_relu", "LeakyRelu", leaky_attributes},
                {"sigmoid", "Sigmoid"},
                {.op = "swish", .write = write_swish}},
      .readers = {
          {"Relu", relu}, {"LeakyRelu", leaky_relu}, {"Sigmoid", sigmoid}, {"Softmax", softmax}}};
}

}  // namespace convoy
