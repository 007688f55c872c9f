#include "export/onnx_model.h"

namespace convoy {

OnnxAttribute onnx_integer(std::string name, int64_t value) {
  return {.name = std::move(name), .kind = OnnxAttribute::integer, .i = value};
}

OnnxAttribute onnx_integers(std::string name, std::vector<int64_t> values) {
  return {.name = std::move(name), .kind = OnnxAttribute::integers, .ints = std::move(values)};
}

OnnxAttribute onnx_number(std::string name, float value) {
  return {.name = std::move(name), .kind = OnnxAttribute::number, .f = value};
}

const OnnxAttribute* OnnxNode::find(std::string_view attribute) const {
  for (const OnnxAttribute& a : attributes) {
    if (a.name == attribute) return &a;
  }
  return nullptr;
}

}  // namespace convoy
