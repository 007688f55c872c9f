// Numbers of each chunk of the parameters or gradients, such as sums of squares, that a later node
// of the update turns into one: norms. With a shared update each process makes those of its share;
// the node behind sees all of them, in the order of chunks: the same digits as one process.
#pragma once

#include "train/update/optimizer.h"

namespace convoy {

// The inputs of the node: [i] is the i-th of `inputs`, from its first float on.
struct ChunkInputs {
  const KernelArgs& args;
  const std::vector<In<float>>& each;

  const float* operator[](size_t i) const { return each[i](args); }
};

// Fills the numbers of one chunk.
using ChunkBody =
    std::function<void(const UpdateChunk& chunk, const ChunkInputs& inputs, double* numbers)>;

// Gives inputs for the node that reads the numbers: the first is f64 `[chunks, width]`, the others
// only say when it may run. Chunks must lie apart
// (`Apart::yes`), or a share could end within one.
Values emit_chunk_numbers(Builder& b, const UpdateInputs& in, std::vector<UpdateChunk> chunks,
                          int width, const Values& inputs, ChunkBody body);

}  // namespace convoy
