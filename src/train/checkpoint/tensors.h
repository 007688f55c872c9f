// The state as named tensors, and back: what weight files and checkpoints hold.
#pragma once

#include <string>
#include <vector>

#include "engine/state.h"
#include "weights/safetensors.h"

namespace convoy {

// Parameters and statistics, borrowed from the spans, in the state's layout.
std::vector<TensorEntry> model_tensors(const StateLayout& layout, std::span<float> params,
                                       std::span<float> stats);

// With `x.num_batches_tracked` beside every `x.running_mean`, which PyTorch's strict loading wants.
// `updates` is borrowed.
std::vector<TensorEntry> with_batch_counts(std::vector<TensorEntry> tensors,
                                           const int64_t& updates);

// One optimiser buffer: `<slot>.<parameter>`.
std::vector<TensorEntry> slot_tensors(const StateLayout& layout, const std::string& slot,
                                      std::span<float> values);

// Copies each tensor of the list from the file into the memory the list points to. A missing tensor
// or another shape or type is Fault::checkpoint naming file and tensor. Tensors of the file that
// nobody asked for are an error too, but for num_batches_tracked.
void copy_tensors(const SafetensorsFile& file, const std::vector<TensorEntry>& into);

}  // namespace convoy
