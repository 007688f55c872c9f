#include "data/sample.h"

#include <cstring>

namespace convoy {

const SampleTensor* Sample::find(std::string_view name) const {
  for (size_t i = 0; i < used_; ++i) {
    if (tensors_[i].name == name) return &tensors_[i];
  }
  return nullptr;
}

void Sample::add_zeros(std::string_view name, const TensorType& type) {
  std::memset(add(name, type), 0, stored_bytes(type));
}

std::byte* Sample::add(std::string_view name, const TensorType& type) {
  expect(!find(name), "two tensors of one name in a sample");
  if (used_ == tensors_.size()) tensors_.emplace_back();
  SampleTensor& tensor = tensors_[used_++];
  tensor.name = name;
  tensor.type = type;
  tensor.bytes.resize(stored_bytes(type));
  return tensor.bytes.data();
}

}  // namespace convoy
