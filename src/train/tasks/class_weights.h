// How much the loss of each class counts: for sets in which some classes are rare.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "data/dataset.h"
#include "ops/loss/label_weight.h"

namespace convoy {

struct ClassWeighting {
  std::vector<std::string> asked;  // "balanced", or a number for each class

  void describe(Fields& field);
  // Null: all count the same. A number of weights that is not the classes', or classes that cannot
  // be counted, are usage errors.
  ops::ClassWeights of(const Dataset& train_set, int classes) const;
};

}  // namespace convoy
