// Norms. An instance norm is a group norm with one channel per group.

#include "export/onnx_family.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

void batch_norm(OnnxCall& call) {
  if (call.integer("training_mode", 0) != 0) call.refuse("it is in training mode");
  const float epsilon = call.number("epsilon", 1e-5f);
  if (epsilon < 0) call.refuse("its epsilon is {}", epsilon);
  call.give(
      call.normalised(call.image(0), {call.floats(1).floats, call.floats(2).floats,
                                      call.floats(3).floats, call.floats(4).floats, epsilon}));
}

void instance_norm(OnnxCall& call) {
  Builder& b = call.builder();
  const Value x = call.value(0);
  const Shape s = call.shape(x);
  if (s.rank() < 3) call.refuse("its input is {}", to_string(s));
  const float epsilon = call.number("epsilon", 1e-5f);
  if (epsilon < 0) call.refuse("its epsilon is {}", epsilon);
  const Shape channels{s[1]};
  const Value gamma = call.param(1, channels, call.floats(1).floats);
  const Value beta = call.param(2, channels, call.floats(2).floats);
  const Value y = ops::group_norm(b, ops::reshape(b, x, {s[0], s[1], s.count() / (s[0] * s[1]), 1}),
                                  gamma, beta, {.groups = s[1], .epsilon = epsilon});
  call.give(ops::reshape(b, y, s));
}

std::vector<OnnxAttribute> attributes(const Node& n) {
  return {onnx_number("epsilon", ops::batch_norm_options(n).epsilon)};
}

// Written as an instance norm of images [n, groups, elements], followed by the scale of each
// channel.
void write_group_norm(OnnxWriter& w, const Node& n) {
  const ops::GroupNormOptions o = ops::group_norm_options(n);
  const auto groups = static_cast<size_t>(o.groups);
  const std::string one = w.floats(n.name + ".one", {o.groups}, std::vector(groups, 1.0f));
  const std::string zero = w.floats(n.name + ".zero", {o.groups}, std::vector(groups, 0.0f));
  const Shape& x = w.shape(n.in[0]);
  const std::string split =
      w.step(n, "Reshape", {w.name(n.in[0]), w.integers(n, "groups", {0, o.groups, -1})});
  const std::string even =
      w.step(n, "InstanceNormalization", {split, one, zero}, {onnx_number("epsilon", o.epsilon)});
  const std::string whole =
      w.step(n, "Reshape", {even, w.integers(n, "shape", {0, x[1], x[2], x[3]})});
  const std::string scaled = w.step(n, "Mul", {whole, w.reshaped(n.in[1], {x[1], 1, 1})});
  w.write(n, "Add", {scaled, w.reshaped(n.in[2], {x[1], 1, 1})});
}

}  // namespace

OnnxFamily norm_onnx_family() {
  return {
      .forms = {{"batch_norm_eval", "BatchNormalization", attributes},
                {.op = "group_norm", .write = write_group_norm}},
      .readers = {{"BatchNormalization", batch_norm}, {"InstanceNormalization", instance_norm}}};
}

}  // namespace convoy
