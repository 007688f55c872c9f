// A task to train and data for it, for tests of whole networks.
#pragma once

#include <memory>

#include "data/loading/batch.h"
#include "train/update/optimizer.h"

namespace convoy::test {

// Images of noise, with labels: the same for the same arguments.
struct NoiseBatch : Batch {
  NoiseBatch(int64_t count, const Shape& image, int classes);
};

// With the default of every option.
std::unique_ptr<Optimizer> default_optimizer(std::string_view name);

}  // namespace convoy::test
