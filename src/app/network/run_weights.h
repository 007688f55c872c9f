// The weight files of a run, for verbs that take all of them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/text/words.h"
#include "weights/safetensors.h"

namespace convoy {

// Of a checkpoint: the weights themselves, or their moving average. The words name the files too.
enum class WeightsKind { model, ema };
constexpr std::array<Word<WeightsKind>, 2> words_of(WeightsKind) {
  return {{{"model", WeightsKind::model}, {"ema", WeightsKind::ema}}};
}

struct RunWeights {
  std::string name;  // below the run directory, for people: "checkpoints/step-0000500"
  fs::path path;
};

// One for each checkpoint, in the order of steps. What is no run, or a run without a checkpoint, is
// Fault::checkpoint.
std::vector<RunWeights> checkpoint_weights(const fs::path& run, WeightsKind kind);

// The other files in weights/, sorted: what `convoy average` made, and maybe strangers.
std::vector<RunWeights> further_weights(const fs::path& run);

// Whether that is what `convoy average` made.
bool is_averaged(const Metadata& about);

}  // namespace convoy
