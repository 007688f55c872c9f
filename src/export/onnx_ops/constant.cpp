// Constants that nodes of the file compute.

#include <utility>

#include "export/onnx_family.h"

namespace convoy {
namespace {

void constant(OnnxCall& call) {
  const OnnxTensor* value = call.tensor("value");
  if (!value) call.refuse("it has no tensor as its value");
  call.give(*value);
}

void constant_of_shape(OnnxCall& call) {
  OnnxTensor out;
  const std::vector<int64_t>& dims = call.whole(0);
  if (dims.size() > Shape::max_rank) call.refuse("of rank {}", dims.size());
  for (const int64_t dim : dims) out.shape.append(dim);
  const int64_t count = checked_count(out.shape);
  if (count < 0) call.refuse("of shape {}", to_string(out.shape));
  call.check_room(count);
  const OnnxTensor* value = call.tensor("value");
  if (value && (value->type != OnnxTensor::f32 || value->floats.size() != 1))
    call.refuse("its value is not one float");
  out.floats.assign(static_cast<size_t>(count), value ? value->floats[0] : 0.0f);
  call.give(std::move(out));
}

// Inserts dimensions of size one; their positions are an attribute before operator set 13, then an
// input.
void unsqueeze(OnnxCall& call) {
  OnnxTensor out = call.constant(0);
  const std::vector<int64_t> axes = call.opset() < 13 ? call.integers("axes", {}) : call.whole(1);
  const auto rank = static_cast<int64_t>(axes.size()) + out.shape.rank();
  if (rank > Shape::max_rank) call.refuse("to rank {}", rank);
  std::vector<bool> ones(static_cast<size_t>(rank));
  for (const int64_t axis : axes) {
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at < 0 || at >= rank || ones[static_cast<size_t>(at)]) call.refuse("at axis {}", axis);
    ones[static_cast<size_t>(at)] = true;
  }
  const Shape from = std::exchange(out.shape, {});
  int next = 0;
  for (const bool one : ones) out.shape.append(one ? 1 : from[next++]);
  call.give(std::move(out));
}

// Weights that are stored in bf16.
void cast(OnnxCall& call) {
  OnnxTensor out = call.constant(0);
  const bool known = out.type == OnnxTensor::bf16 || out.type == OnnxTensor::f32;
  if (!known || call.integer("to", 0) != OnnxTensor::f32)
    call.refuse("from type {} to {}", out.type, call.integer("to", 0));
  out.type = OnnxTensor::f32;
  call.give(std::move(out));
}

}  // namespace

OnnxFamily constant_onnx_family() {
  return {.readers = {{"Cast", cast},
                      {"Constant", constant},
                      {"ConstantOfShape", constant_of_shape},
                      {"Unsqueeze", unsqueeze}}};
}

}  // namespace convoy
