// --mean and --std, of the normalisers that have them.
#pragma once

#include <vector>

#include "data/augment/augment.h"

namespace convoy {

struct MeanStd {
  std::vector<double> mean, std;  // empty: the dataset's

  void describe(Fields& field);
};

// One value of each per channel. A number of values that does not fit is a usage error, and so is a
// deviation of 0.
MeanStd mean_std_of(const AugmentOptions& options, int64_t channels);

ToldOptions told_mean_std(const AugmentOptions& options);

}  // namespace convoy
