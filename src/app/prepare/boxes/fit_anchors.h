// `prepare boxes --fit-anchors`: default boxes for the objects of a set, written as a recipe.
#pragma once

#include <string>

#include "app/prepare/prepare_kind.h"
#include "data/boxed/boxed_split.h"

namespace convoy {

struct FitOptions {
  bool on = false;
  std::string model = "ssd_resnet18";
  int image_size = 0;  // 0: the model's
  int per_map = 4;
  uint64_t seed = 1;

  void describe(Fields& field);
};

// Fits shapes to the usable objects of the training split, and writes `output`, a recipe on the
// base of detection/fine_tune. Fewer objects than shapes are Fault::data.
void fit_anchors(const BoxedSplit& train, const FitOptions& options, const std::string& output);

}  // namespace convoy
