// An augmentation with an option of its own: a share of the pixels becomes black.
#include "base/error.h"
#include "data/augment/augment.h"

namespace convoy {
namespace {

struct Options {
  double share = 0;

  void describe(Fields& field) {
    field("speckle-share", share, "share of the pixels that speckle makes black", between(0, 1));
  }
};

class Speckle final : public Augment {
 public:
  explicit Speckle(double share) : share_(share) {}

  void apply(float* pixels, const Shape& image, std::byte*, Random random) const override {
    const int64_t plane = image[1] * image[2];
    for (int64_t i = 0; i < plane; ++i) {
      if (random.uniform() >= share_) continue;
      for (int64_t c = 0; c < image[0]; ++c) pixels[c * plane + i] = 0;
    }
  }

 private:
  double share_;
};

}  // namespace

AugmentDef speckle_augment() {
  return {
      .name = "speckle",
      .help = "makes a share of the pixels black, --speckle-share",
      .describe = describe_options<Options>,
      .make = [](const AugmentOptions& options, const Shape&) -> std::unique_ptr<Augment> {
        const double share = options.own.read<Options>().share;
        if (share == 0) raise(Fault::usage, "speckle has no share; try: --speckle-share 0.1");
        return std::make_unique<Speckle>(share);
      },
  };
}

}  // namespace convoy
