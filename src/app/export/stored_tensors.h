// The tensors of an exported file in the type that they are stored in there.
#pragma once

#include <vector>

#include "app/network/graph_run.h"
#include "tensor/number_types.h"
#include "weights/safetensors.h"

namespace convoy {

// Tensors, some of them rounded to 16 bits; borrows the others.
class StoredTensors {
 public:
  explicit StoredTensors(std::vector<TensorEntry> tensors) : tensors_(std::move(tensors)) {}
  StoredTensors(const StoredTensors&) = delete;
  StoredTensors& operator=(const StoredTensors&) = delete;

  // Rounds the weights of convolutions and linear layers, which have two dimensions or more;
  // biases, norms and statistics stay in fp32, as in training.
  // `type`: bf16 or f16.
  void round_weights(DType type);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }

 private:
  std::vector<TensorEntry> tensors_;
  std::vector<std::vector<uint16_t>> rounded_;
};

// The values of one of them in fp32, for GraphRun. `find` returns the tensor of a name.
GraphRun::Weights in_fp32(std::function<const TensorEntry&(const std::string&)> find);

}  // namespace convoy
