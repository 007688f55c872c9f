// `convoy bench data`: measures how fast images are prepared, from files to network input.
#pragma once

#include "train/run/run_config.h"

namespace convoy {

struct BenchDataOptions {
  int rounds = 5;
  bool json = false;
};

// Decodes, crops, augments and normalises as in training, with all threads and without a network.
void bench_data(const BenchDataOptions& options, const RunConfig& config);

}  // namespace convoy
