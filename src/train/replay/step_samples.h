// Which samples of the dataset a step takes, for messages about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/run/run_setup.h"

namespace convoy {

// Indices in the dataset, in the order of the step, which is that of replicas and micro-batches.
std::vector<int64_t> samples_of_step(const RunSetup& setup, int64_t step);

// The file of the sample at a place in the step, and its index: "dog/12.jpg (sample 37)".
std::string step_sample_name(const RunSetup& setup, int64_t step, int64_t place);

}  // namespace convoy
