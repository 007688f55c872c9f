// Mirrors an image left to right with probability 1/2.
#include <algorithm>

#include "data/augment/augment.h"

namespace convoy {
namespace {

bool heads(Random& random) { return random.bits() >> 63; }

class Flip final : public Augment {
 public:
  void apply(float* pixels, const Shape& image, std::byte*, Random random) const override {
    if (!heads(random)) return;
    for (int64_t row = 0; row < image[0] * image[1]; ++row) {
      std::reverse(pixels + row * image[2], pixels + (row + 1) * image[2]);
    }
  }

  // out(x) = before(w - 1 - x): mirroring twice cancels, and the shift stays.
  bool place(Placement& placement, const Shape&, Random random) const override {
    placement.mirrored ^= heads(random);
    return true;
  }
};

}  // namespace

AugmentDef flip_augment() {
  return {
      .name = "flip",
      .help = "mirrors left to right with probability 0.5",
      .make = [](const AugmentOptions&, const Shape&) -> std::unique_ptr<Augment> {
        return std::make_unique<Flip>();
      },
  };
}

}  // namespace convoy
