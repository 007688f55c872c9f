// Weights from any file into a model: what fits is copied, what does not is one clear line that
// names the architecture that would. Training (--init-from), evaluation and export all load through
// here.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/state.h"
#include "models/model.h"
#include "weights/match.h"
#include "weights/weight_file.h"

namespace convoy {

// The bytes of a file of weights. One of a checkpoint is verified against the hash that the
// checkpoint holds.
std::string read_weights(const fs::path& path);
// Every file of weights that goes into a network is opened here.
WeightFile open_weights(const fs::path& path);

// What a model with that many classes and image channels has a place for, from a graph alone.
std::vector<Wanted> wanted_by(const FoundModel& model, int classes, int channels);

// Its parameters whose shape follows the number of classes.
std::set<std::string> heads_of(const FoundModel& model);

struct WeightReport {
  std::string file;     // its path
  std::string format;   // "PyTorch (zip)"
  std::string note;     // which part was taken, whose names were translated; may be empty
  std::string verdict;  // "318 of 320 tensors; new: fc.weight, fc.bias (1000 → 12)"

  // All of it in one line.
  std::string line() const;
};

// Copies parameters and statistics into `state`, whose model is `model`. A head of another number
// of classes stays as it is where the policy allows it. Anything else that is missing, different
// or without a place is Fault::checkpoint with the verdict and what to try.
WeightReport load_weights(const WeightFile& file, const FoundModel& model, State& state,
                          HeadPolicy policy);

// The models of the catalogue that a file fits, but for the number of classes; those of `first`'s
// family come first.
std::vector<std::string> models_that_fit(const WeightFile& file, const FoundModel& first,
                                         int channels);

}  // namespace convoy
