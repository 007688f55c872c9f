// Weights of classes in the loss, for datasets in which some classes are rare.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "data/dataset.h"
#include "ops/loss/label_weight.h"

namespace convoy {

struct ClassWeighting {
  std::vector<std::string> asked;  // "balanced", or one number per class

  void describe(Fields& field);
  // Null: all classes have the same weight. A wrong number of weights, or a dataset whose classes
  // cannot be counted, is a usage error.
  ops::ClassWeights of(const Dataset& train_set, int classes) const;
};

}  // namespace convoy
