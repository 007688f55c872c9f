// `convoy bench convs`: every algorithm of every convolution, beside what the cost model says.
#pragma once

#include <string>

#include "train/run/run_config.h"

namespace convoy {

struct BenchConvsOptions {
  std::string shapes;  // a list or a file; empty: the convolutions of the config's model
  int64_t batch = 0;   // of a list or file; 0: what is usual there
  int rounds = 9;
  bool json = false;
  std::string write_algorithms;  // a file for the fastest of each; empty: none
};

void bench_convs(const BenchConvsOptions& options, const RunConfig& config);

}  // namespace convoy
