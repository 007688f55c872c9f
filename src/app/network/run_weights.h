// Lists the weights files of a run, for verbs that take all of them.
#pragma once

#include <string>
#include <vector>

#include "base/text/words.h"
#include "weights/safetensors.h"

namespace convoy {

// Which file of a checkpoint: the weights, or their moving average. The words are also the file
// names.
enum class WeightsKind { model, ema };
constexpr auto words_of(WeightsKind) { return words<WeightsKind>("model", "ema"); }

struct RunWeights {
  std::string name;  // path in the run directory: "checkpoints/step-0000500"
  fs::path path;
};

// One per checkpoint, in the order of steps. A folder that is not a run, or has no checkpoint, is
// Fault::checkpoint.
std::vector<RunWeights> checkpoint_weights(const fs::path& run, WeightsKind kind);

// The other files in weights/, sorted: averages made by `convoy average`, and perhaps unrelated
// files.
std::vector<RunWeights> further_weights(const fs::path& run);

// Whether the file was made by `convoy average`.
bool is_averaged(const Metadata& about);

}  // namespace convoy
