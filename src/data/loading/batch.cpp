#include "data/loading/batch.h"

#include <cstring>

namespace convoy {

Batch::Batch(TensorList types) {
  const auto aligned = [](const TensorType& type) {
    return static_cast<size_t>(
        round_up(static_cast<int64_t>(stored_bytes(type)), static_cast<int64_t>(Arena::alignment)));
  };
  size_t bytes = 0;
  for (const auto& [name, type] : types) bytes += aligned(type);
  buffer_.reserve(bytes);
  std::byte* at = buffer_.data();
  for (auto& [name, type] : types) {
    expect(!find(name), "two tensors of one name in a batch");
    tensors_.push_back({.name = std::move(name), .type = type, .data = at});
    at += aligned(type);
  }
}

TensorList Batch::types() const {
  TensorList types;
  for (const NamedTensor& tensor : tensors_) types.emplace_back(tensor.name, tensor.type);
  return types;
}

void Batch::copy(const Batch& other) {
  expect(tensors_.size() == other.tensors_.size(), "batches of one kind");
  for (size_t i = 0; i < tensors_.size(); ++i) {
    std::memcpy(tensors_[i].data, other.tensors_[i].data, stored_bytes(tensors_[i].type));
  }
  valid = other.valid;
  first = other.first;
  bad = other.bad;
  details = other.details;
}

const NamedTensor* Batch::find(std::string_view name) const {
  for (const NamedTensor& tensor : tensors_) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

TensorList batch_tensors(int64_t n, const Shape& image, DType pixels, const TensorList& of_sample) {
  TensorList all{{"image", {.shape = {n, image[0], image[1], image[2]}, .dtype = pixels}}};
  for (const auto& [name, type] : of_sample) {
    Shape shape{n};
    for (const int64_t dim : type.shape) shape.append(dim);
    all.push_back({name, {shape, type.dtype}});
  }
  all.push_back({"weight", {.shape = {n}, .dtype = DType::f32}});
  all.push_back({"key", {.shape = {n}, .dtype = DType::s64}});
  return all;
}

TensorList classification_tensors(int64_t n, const Shape& image, DType pixels) {
  return batch_tensors(n, image, pixels, {{"label", {{}, DType::s32}}});
}

}  // namespace convoy
