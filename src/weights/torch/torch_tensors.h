// From a pickle of torch to named tensors: which dictionary holds them, and where their bytes lie.
#pragma once

#include <functional>

#include "weights/torch/pickle.h"
#include "weights/weight_data.h"

namespace convoy {

// A storage as its persistent id describes it.
struct TorchStorage {
  Element element = Element::f32;
  std::string_view key;
  int64_t count = 0;  // elements
  // Of old files: the storage is a part of another one, from this element on.
  int64_t first = 0;
};

TorchStorage torch_storage(const Pickle& pickle, const PickleValue& storage,
                           const std::string& origin);

// All storages that the pickle mentions.
std::vector<TorchStorage> torch_storages(const Pickle& pickle, const std::string& origin);

// Adds the tensors of the pickle. The dictionary that holds them is the first of `state_dict`,
// `model_state_dict`, `model`, … that is there; then `data.note` says so. `bytes_of` gives a
// storage's bytes.
void add_torch_tensors(const Pickle& pickle,
                       const std::function<Bytes(const TorchStorage&)>& bytes_of, WeightData& data);

}  // namespace convoy
