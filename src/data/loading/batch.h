// A batch is named tensors in one buffer: what a task's plan binds its inputs to, by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/sample.h"
#include "tensor/arena.h"
#include "tensor/shape.h"

namespace convoy {

struct NamedTensor {
  std::string name;
  TensorType type;
  std::byte* data = nullptr;  // inside the batch's buffer, aligned to Arena::alignment
};

class Batch {
 public:
  explicit Batch(TensorList types);

  const std::vector<NamedTensor>& tensors() const { return tensors_; }
  TensorList types() const;
  // All that another batch of the same types holds. Allocates nothing but for bad samples.
  void copy(const Batch& other);

  // Null when the batch has no tensor of that name. Valid as long as the batch is.
  const NamedTensor* find(std::string_view name) const;

  // The elements of a tensor that must be there.
  template <class T>
  T* data(std::string_view name) const {
    const NamedTensor* tensor = find(name);
    expect(tensor && bytes_per_element(tensor->type.dtype) == sizeof(T),
           "no such tensor in the batch");
    return reinterpret_cast<T*>(tensor->data);
  }

  // Samples that count: the first `valid` ones. The rest is padding.
  int64_t valid = 0;

  // Samples that were no image, in the batch's order: in training another one stands in each one's
  // place, in evaluation its weight is 0.
  struct Bad {
    int64_t sample;
    std::string origin, reason;
  };
  std::vector<Bad> bad;

 private:
  std::vector<NamedTensor> tensors_;
  Arena buffer_;
};

// What classification puts into a batch of n images:
//   image  f32 [n, c, h, w], or u8: pixels that the network itself brings to floats
//   label  s32 [n]
//   weight f32 [n]  1 for a sample, 0 for padding and for what is no image
//   key    s64 [n]  random_key(seed, Purpose::batch_key, epoch, sample), for dropout in the network
// Padding is all zeros.
TensorList classification_tensors(int64_t n, const Shape& image, DType pixels = DType::f32);

// In general, with the tensors that a sample has beside its image in place of the label.
TensorList batch_tensors(int64_t n, const Shape& image, DType pixels, const TensorList& of_sample);

}  // namespace convoy
