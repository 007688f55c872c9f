// Loads weights from any file into a model. Matching tensors are copied; if the file does not fit,
// the error names the architecture that would. Training (--init-from), evaluation and export load
// through this.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/state.h"
#include "models/model.h"
#include "weights/match.h"
#include "weights/weight_file.h"

namespace convoy {

// The bytes of a weights file. In a checkpoint, they are verified against the checkpoint's hash.
std::string read_weights(const fs::path& path);
// Opens a weights file; all files that are loaded into a network are opened here.
WeightFile open_weights(const fs::path& path);

// The tensors of a model without options, with that many classes and image channels, from its graph
// alone.
std::vector<Wanted> wanted_by(const FoundModel& model, int classes, int channels);

// The parameters whose shape depends on the number of classes.
std::set<std::string> heads_of(const FoundModel& model, const ModelOptions& options = {});

struct WeightReport {
  std::string file;     // its path
  std::string format;   // "PyTorch (zip)"
  std::string note;     // e.g. whose names were translated; may be empty
  std::string verdict;  // "318 of 320 tensors; new: fc.weight, fc.bias (1000 → 12)"

  // All fields in one line.
  std::string line() const;
};

// Copies parameters and statistics into `state`, the state of `model` with these options. A head
// with another number of classes keeps its values if the policy allows it. Any other missing,
// different or unknown tensor is Fault::checkpoint, with the verdict and advice.
WeightReport load_weights(const WeightFile& file, const FoundModel& model, State& state,
                          HeadPolicy policy, const ModelOptions& options = {});

// The models of the catalogue that the file fits, apart from the number of classes; models of
// `first`'s family come first.
std::vector<std::string> models_that_fit(const WeightFile& file, const FoundModel& first,
                                         int channels);

}  // namespace convoy
