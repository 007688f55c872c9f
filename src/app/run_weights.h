// The weight files of a run, for verbs that take all of them.
#pragma once

#include <string>
#include <vector>

#include "weights/safetensors.h"

namespace convoy {

struct RunWeights {
  std::string name;  // below the run directory, for people: "checkpoints/step-0000500"
  fs::path path;
};

// One for each checkpoint, in the order of steps; `kind` is "model" or "ema". What is no run, or a
// run without a checkpoint, is Fault::checkpoint.
std::vector<RunWeights> checkpoint_weights(const fs::path& run, const std::string& kind);

// The other files in weights/, sorted: what `convoy average` made, and maybe strangers.
std::vector<RunWeights> further_weights(const fs::path& run);

// Whether that is what `convoy average` made.
bool is_averaged(const Metadata& about);

}  // namespace convoy
