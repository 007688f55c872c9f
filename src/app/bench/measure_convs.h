// Times convolutions by every algorithm that can compute them: for `bench convs`.
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
  std::array<int, 3> nodes{1, 1, 1};  // of each pass in the model; 0: it is not measured
};

struct AlgorithmTime {
  ConvAlgorithm algorithm;
  std::string implementation;  // as the kernel says
  double seconds = 0;          // the median over the rounds
};

// One pass of one convolution.
struct ConvTimes {
  onednn::ConvShape shape;
  onednn::ConvPass pass;
  int nodes = 1;
  std::vector<AlgorithmTime> times;  // in the order of preference, `direct` first

  const AlgorithmTime& of(ConvAlgorithm algorithm) const;
  const AlgorithmTime& best() const;
  double flops() const;  // as a direct convolution counts them, whatever the algorithm
};

// The kernels are those a training step would run, in a plan of this convolution alone. A round
// runs every algorithm once; the first of a round is another each time. What needs more than
// `memory` bytes is refused (Fault::no_space).
std::vector<ConvTimes> measure_conv(const ConvCase& one, ThreadPool& pool, int rounds,
                                    int64_t memory);

}  // namespace convoy
