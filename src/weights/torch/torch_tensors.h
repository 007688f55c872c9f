// Turns a pickle of torch.save into named tensors: finds the dictionary of weights and the bytes of
// each tensor.
#pragma once

#include <functional>

#include "weights/torch/pickle.h"
#include "weights/weight_data.h"

namespace convoy {

// A storage as described by its persistent id.
struct TorchStorage {
  Element element = Element::f32;
  std::string_view key;
  int64_t count = 0;  // elements
  // Old files only: this storage is a view of another one, starting at this element.
  int64_t first = 0;
};

TorchStorage torch_storage(const Pickle& pickle, const PickleValue& storage,
                           const std::string& origin);

// All storages that the pickle refers to.
std::vector<TorchStorage> torch_storages(const Pickle& pickle, const std::string& origin);

// Adds the tensors of the pickle. Their dictionary is the first of `state_dict`,
// `model_state_dict`, `model`, … that exists; `data.note` then names it. `bytes_of` returns the
// bytes of a storage.
void add_torch_tensors(const Pickle& pickle,
                       const std::function<Bytes(const TorchStorage&)>& bytes_of, WeightData& data);

}  // namespace convoy
