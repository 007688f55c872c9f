// What an evaluation of a detector found in each picture, for pictures of mistakes and curves.
#pragma once

#include <string>
#include <vector>

#include "boxes/scores/confidence.h"

namespace convoy {

struct ObjectResults {
  std::vector<ScoredPicture> pictures;  // in the order of samples
  ConfidenceCurves curves;
  std::vector<std::string> classes;  // without the background
};

}  // namespace convoy
