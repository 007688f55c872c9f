// A batch: named tensors in one buffer, which it owns. The inputs of a plan are bound to the
// tensors that have their names.
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
  // Copies everything from a batch with the same tensors. Allocates only for bad samples and
  // longer details.
  void copy(const Batch& other);

  // Null if the batch has no tensor of this name. Valid as long as the batch.
  const NamedTensor* find(std::string_view name) const;

  // The elements of a tensor that must exist.
  template <class T>
  T* data(std::string_view name) const {
    const NamedTensor* tensor = find(name);
    expect(tensor && bytes_per_element(tensor->type.dtype) == sizeof(T),
           "no such tensor in the batch");
    return reinterpret_cast<T*>(tensor->data);
  }

  // The first `valid` samples count, the others are padding.
  int64_t valid = 0;
  // The place of its first sample in the order of the epoch; without shuffling the sample's index.
  int64_t first = 0;

  // Samples that could not be decoded, in the batch's order. In training each is replaced by
  // another sample; in evaluation its weight is 0.
  struct Bad {
    int64_t sample;              // its index in the dataset
    std::string origin, reason;  // file or record; the error
  };
  std::vector<Bad> bad;

  // For each sample, numbers of any amount that only Task::read uses, not the network: the true
  // objects of a picture. Written by a SampleForm; empty without one.
  std::vector<std::vector<double>> details;

 private:
  std::vector<NamedTensor> tensors_;
  Arena buffer_;
};

// The tensors of a classification batch of n images:
//   image  f32 or bf16 [n, c, h, w], or u8: pixels that the network itself converts to floats
//   label  s32 [n]
//   weight f32 [n]  1 for a sample, 0 for padding and for an image that could not be decoded
//   key    s64 [n]  a random key of the sample in this epoch, for dropout in the network
// Padding is zeros in all of them.
TensorList classification_tensors(int64_t n, const Shape& image, DType pixels = DType::f32);

// The same for any task: the tensors of a sample replace the label.
TensorList batch_tensors(int64_t n, const Shape& image, DType pixels, const TensorList& of_sample);

}  // namespace convoy
