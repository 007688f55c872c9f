// Converts the state to named tensors and back, for weights files and checkpoints.
#pragma once

#include <string>
#include <vector>

#include "engine/state.h"
#include "weights/safetensors.h"

namespace convoy {

// Parameters and statistics, borrowed from spans in the layout of the state.
std::vector<TensorEntry> model_tensors(const StateLayout& layout, std::span<float> params,
                                       std::span<float> stats);

// Adds `x.num_batches_tracked` beside every `x.running_mean`, which PyTorch's strict loading
// requires. `updates` is borrowed.
std::vector<TensorEntry> with_batch_counts(std::vector<TensorEntry> tensors,
                                           const int64_t& updates);

// The tensors `<slot>.<parameter>` of one optimizer buffer.
std::vector<TensorEntry> slot_tensors(const StateLayout& layout, const std::string& slot,
                                      std::span<float> values);

// Copies each tensor of the list from the file to the memory that the list points to. A missing
// tensor, or one of another shape or type, is Fault::checkpoint naming file and tensor. Further
// tensors in the file are an error too, except num_batches_tracked.
void copy_tensors(const SafetensorsFile& file, const std::vector<TensorEntry>& into);

}  // namespace convoy
