// Sums and products: of values of the same shape, of an image and its gate, or with a constant per
// channel. ONNX's other forms of broadcasting are refused.

#include "ops/elementwise/arithmetic.h"

#include "export/onnx_family.h"

namespace convoy {
namespace {

// The constant as one number per channel of a value of shape `x`; it must be constant over other
// dimensions.
std::vector<float> by_channel(const OnnxCall& call, const OnnxTensor& t, const Shape& x) {
  if ((x.rank() != 2 && x.rank() != 4) || t.shape.rank() > x.rank())
    call.refuse("{} with a constant {}", to_string(x), to_string(t.shape));
  const int skipped = x.rank() - t.shape.rank();  // ONNX aligns shapes at their ends
  for (int i = 0; i < t.shape.rank(); ++i) {
    const bool channel = i + skipped == 1 && t.shape[i] == x[1];
    if (t.shape[i] != 1 && !channel)
      call.refuse("{} with a constant {}", to_string(x), to_string(t.shape));
  }
  if (t.floats.size() != 1) return t.floats;
  call.check_room(x[1]);
  return std::vector(static_cast<size_t>(x[1]), t.floats[0]);
}

struct Operands {
  Value x;
  std::vector<float> constant;
};
Operands with_constant(const OnnxCall& call) {
  const size_t at = call.is_constant(1) ? 1 : 0;
  const Value x = call.value(1 - at);
  return {x, by_channel(call, call.floats(at), call.shape(x))};
}

void add(OnnxCall& call) {
  if (call.is_constant(0) || call.is_constant(1)) {
    Operands o = with_constant(call);
    const std::vector<float> one(o.constant.size(), 1.0f);
    return call.give(call.affine(o.x, one, std::move(o.constant)));
  }
  call.give(ops::add(call.builder(), call.value(0), call.value(1)));
}

void sum(OnnxCall& call) {
  Value total = call.value(0);
  for (size_t i = 1; i < call.inputs(); ++i) total = ops::add(call.builder(), total, call.value(i));
  call.give(total);
}

void multiply(OnnxCall& call) {
  if (call.is_constant(0) || call.is_constant(1)) {
    Operands o = with_constant(call);
    const std::vector<float> zero(o.constant.size(), 0.0f);
    return call.give(call.affine(o.x, std::move(o.constant), zero));
  }
  Value x = call.value(0), gate = call.value(1);
  const Shape& s = call.shape(x);
  if (s.rank() == 4 && s[2] * s[3] == 1) std::swap(x, gate);
  call.give(ops::multiply(call.builder(), x, gate));
}

// The bias of a convolution whose result has other readers; all others are folded into the
// convolution.
void write_bias(OnnxWriter& w, const Node& n) {
  w.write(n, "Add", {w.name(n.in[0]), w.reshaped(n.in[1], {w.shape(n.in[0])[1], 1, 1})});
}

}  // namespace

OnnxFamily arithmetic_onnx_family() {
  return {.forms = {{"add", "Add"},
                    {"multiply", "Mul"},
                    {"gate", "Mul"},
                    {.op = "add_bias", .write = write_bias}},
          .readers = {{"Add", add}, {"Sum", sum}, {"Mul", multiply}}};
}

}  // namespace convoy
