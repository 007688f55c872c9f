// Data for the small network: the same for the same samples, whatever batch they are in.
#pragma once

#include <vector>

#include "base/random.h"
#include "support/session.h"

namespace convoy::test {

struct SmallBatch {
  std::vector<float> image;
  std::vector<int32_t> label;
  std::vector<int64_t> key;
  float loss_scale = 1;

  // Samples [first, first + count).
  SmallBatch(int64_t first, int64_t count, int64_t size) {
    for (int64_t n = first; n < first + count; ++n) {
      Random random(random_key(5, Purpose::generated, static_cast<uint64_t>(n)));
      for (int64_t i = 0; i < 3 * size * size; ++i)
        image.push_back(static_cast<float>(random.normal()));
      label.push_back(static_cast<int32_t>(random.below(10)));
      key.push_back(n);
    }
  }

  template <class Target>  // Session or Executor
  void bind_to(Target& target, bool train) const {
    target.bind("image", image.data());
    target.bind("label", label.data());
    if (!train) return;
    target.bind("key", key.data());
    target.bind("loss_scale", &loss_scale);
  }
};

}  // namespace convoy::test
