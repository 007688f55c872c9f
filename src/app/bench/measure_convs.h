// Times convolutions with every algorithm that can compute them, for `bench convs`.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/threads/thread_pool.h"
#include "tensor/choices.h"
#include "tensor/onednn.h"

namespace convoy {

struct ConvCase {
  onednn::ConvShape shape;  // of the whole batch
  int replicas = 1;
  std::array<int, 3> nodes{1, 1, 1};  // how often the model has each pass; 0: not measured
};

struct AlgorithmTime {
  ConvAlgorithm algorithm;
  std::string implementation;  // as named by the kernel
  double seconds = 0;          // median over the rounds
};

// The times of one pass of one convolution.
struct ConvTimes {
  onednn::ConvShape shape;
  onednn::ConvPass pass;
  int nodes = 1;
  std::vector<AlgorithmTime> times;  // in order of preference, `direct` first

  const AlgorithmTime& of(ConvAlgorithm algorithm) const;
  const AlgorithmTime& best() const;
  double flops() const;  // of a direct convolution, for every algorithm
};

// Uses the kernels of a training step, in a plan of this convolution alone. A round runs every
// algorithm once, each time starting with another one. If more than `memory` bytes are needed:
// Fault::no_space.
std::vector<ConvTimes> measure_conv(const ConvCase& one, ThreadPool& pool, int rounds,
                                    int64_t memory);

}  // namespace convoy
