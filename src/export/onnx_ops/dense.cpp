// Gemm and MatMul with constant weights: a dense layer. Our weights are [out, in].

#include "export/onnx_family.h"
#include "ops/linear.h"

namespace convoy {
namespace {

struct Dense {
  int64_t in, out;
  std::vector<float> weights;  // [out, in]
};

Dense dense(const OnnxCall& call, bool transposed, float scale) {
  const OnnxTensor& w = call.floats(1);
  if (w.shape.rank() != 2 || checked_count(w.shape) < 1)
    call.refuse("its weights are {}", to_string(w.shape));
  const int64_t in = w.shape[transposed ? 1 : 0], out = w.shape[transposed ? 0 : 1];
  Dense d{in, out, std::vector<float>(w.floats.size())};
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      const float value = w.floats[static_cast<size_t>(transposed ? o * in + i : i * out + o)];
      d.weights[static_cast<size_t>(o * in + i)] = scale * value;
    }
  }
  return d;
}

void finish(OnnxCall& call, Value x, Dense d, std::vector<float> bias) {
  const Value w = call.param(1, {d.out, d.in}, std::move(d.weights));
  call.give(ops::linear(call.builder(), x, w, call.param(2, {d.out}, std::move(bias))));
}

void gemm(OnnxCall& call) {
  const Value x = call.matrix(0);
  if (call.integer("transA", 0) != 0) call.refuse("its first input is transposed");
  Dense d = dense(call, call.integer("transB", 0) != 0, call.number("alpha", 1));
  std::vector<float> bias(static_cast<size_t>(d.out), 0.0f);
  if (call.has(2)) {
    const OnnxTensor& c = call.floats(2);
    const bool one = c.floats.size() == 1;
    const int rank = c.shape.rank();
    if (!one && (c.floats.size() != bias.size() || rank > 2 || c.shape[rank - 1] != d.out))
      call.refuse("its bias is {}", to_string(c.shape));
    const float beta = call.number("beta", 1);
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = beta * c.floats[one ? 0 : i];
  }
  finish(call, x, std::move(d), std::move(bias));
}

void matmul(OnnxCall& call) {
  const Value x = call.matrix(0);
  Dense d = dense(call, false, 1);
  const std::vector<float> zero(static_cast<size_t>(d.out), 0.0f);
  finish(call, x, std::move(d), zero);
}

std::vector<OnnxAttribute> attributes(const Node&) { return {onnx_integer("transB", 1)}; }

}  // namespace

OnnxFamily dense_onnx_family() {
  return {.forms = {{"linear", "Gemm", attributes}},
          .readers = {{"Gemm", gemm}, {"MatMul", matmul}}};
}

}  // namespace convoy
