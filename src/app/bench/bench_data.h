// `convoy bench data`: how fast images are made, from the files to what the network takes.
#pragma once

#include "train/run/run_config.h"

namespace convoy {

struct BenchDataOptions {
  int rounds = 5;
  bool json = false;
};

// Decoding, crop, augmentation and normalisation as in training, by all threads; no network.
void bench_data(const BenchDataOptions& options, const RunConfig& config);

}  // namespace convoy
