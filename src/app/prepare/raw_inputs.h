// The two splits of a published set, as `prepare imagenet` and `prepare folder` read them.
#pragma once

#include "app/prepare/prepare_kind.h"
#include "app/prepare/raw_splits.h"

namespace convoy {

// The options of both kinds. `val_share` and `seed` are those of the split.
struct RawInputOptions {
  std::string synsets, validation_labels;
  uint64_t seed = 0;

  void describe(Fields& field);
};

// Finds the pictures and tells how many they are.
RawSplits find_and_tell(const PrepareSite& site, const RawInputOptions& options, double val_share);

}  // namespace convoy
