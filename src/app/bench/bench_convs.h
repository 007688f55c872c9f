// `convoy bench convs`: times every algorithm of every convolution and compares with the cost
// model.
#pragma once

#include <string>

#include "train/run/run_config.h"

namespace convoy {

struct BenchConvsOptions {
  std::string shapes;  // a list or a file; empty: the model of the config
  int64_t batch = 0;   // for a list or file; 0: its usual batch
  int rounds = 9;
  bool json = false;
  std::string write_algorithms;  // file for the fastest algorithms; empty: none
};

void bench_convs(const BenchConvsOptions& options, const RunConfig& config);

}  // namespace convoy
