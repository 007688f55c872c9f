// (x - m) / max(s, 1 / sqrt(n)), where m and s are the mean and deviation of the image's own n
// values in 0..255, all channels together: as in the CIFAR recipes of the Graphcore and Habana
// stacks.
#include <algorithm>
#include <cmath>

#include "data/augment/augment.h"

namespace convoy {
namespace {

class Standardise final : public Augment {
 public:
  void apply(float* pixels, const Shape& image, std::byte*, Random) const override {
    const int64_t n = image.count();
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += pixels[i];
      squares += static_cast<double>(pixels[i]) * pixels[i];
    }
    const auto count = static_cast<double>(n);
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(squares / count - mean * mean, 0.0));
    const double scale = 1 / std::max(deviation, 1 / std::sqrt(count));
    const auto factor = static_cast<float>(scale), offset = static_cast<float>(-mean * scale);
    for (int64_t i = 0; i < n; ++i) pixels[i] = pixels[i] * factor + offset;
  }
};

}  // namespace

AugmentDef standardise_augment() {
  return {
      .name = "standardise",
      .help = "each image to mean 0 and deviation 1 by its own statistics",
      .normaliser = true,
      .make = [](const AugmentOptions&, const Shape&) -> std::unique_ptr<Augment> {
        return std::make_unique<Standardise>();
      },
  };
}

}  // namespace convoy
