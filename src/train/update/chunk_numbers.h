// Numbers computed for each chunk of the parameters or gradients (for example sums of squares) that
// a later node of the update combines, for example to a norm. With a shared update each process
// computes those of its share; the later node sees all of them in the order of chunks: the same
// digits as a single process.
#pragma once

#include "train/update/optimizer.h"

namespace convoy {

// The inputs of the node: [i] points to the first float of the i-th of `inputs`.
struct ChunkInputs {
  const KernelArgs& args;
  const std::vector<In<float>>& each;

  const float* operator[](size_t i) const { return each[i](args); }
};

// Computes the numbers of one chunk.
using ChunkBody =
    std::function<void(const UpdateChunk& chunk, const ChunkInputs& inputs, double* numbers)>;

// Returns the inputs for the node that reads the numbers. The first is f64 `[chunks, width]`; the
// others only order the node after the computation. Make the chunks with `Apart::yes`, so that no
// share ends within a chunk.
Values emit_chunk_numbers(Builder& b, const UpdateInputs& in, std::vector<UpdateChunk> chunks,
                          int width, const Values& inputs, ChunkBody body);

}  // namespace convoy
