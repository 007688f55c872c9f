// Norms. That of instances is a group norm with one channel a group.

#include "export/onnx_nodes.h"
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

}  // namespace

OnnxNodes norm_onnx_nodes() {
  return {{"BatchNormalization", batch_norm}, {"InstanceNormalization", instance_norm}};
}

}  // namespace convoy
