// The change of colours in the training of SSD-ResNet34, always all four, in this order:
// brightness, contrast around each channel's mean, saturation, hue. In single precision; values are
// not clamped, so they may leave 0..255.
#include "base/error.h"
#include "data/augment/augment.h"
#include "kernels/pictures/jitter_floats.h"

namespace convoy {
namespace {

constexpr double most_brightness = 0.125 * 255, least_factor = 0.5, most_factor = 1.5,
                 most_turn = 0.05 * 6;  // in sixths of the circle

float between(double low, double high, Random& random) {
  return static_cast<float>(low + (high - low) * random.uniform());
}

class SsdJitter final : public Augment {
 public:
  void apply(float* pixels, const Shape& image, std::byte*, Random random) const override {
    const float brightness = between(-most_brightness, most_brightness, random);
    const float contrast = between(least_factor, most_factor, random);
    const float saturation = between(least_factor, most_factor, random);
    const float turn = between(-most_turn, most_turn, random);
    const int64_t plane = image[1] * image[2];
    for (int64_t c = 0; c < image[0]; ++c) {
      float* values = pixels + c * plane;
      const auto mean = static_cast<float>(kernels::mean_of(values, plane));
      // Contrast leaves the mean where brightness has moved it.
      kernels::stretch(values, plane, mean, contrast, mean + brightness);
    }
    kernels::turn_and_saturate(saturation, turn, plane, pixels, pixels + plane, pixels + 2 * plane);
  }
};

}  // namespace

AugmentDef ssd_jitter_augment() {
  return {
      .name = "ssd-jitter",
      .help = "SSD's change of brightness, contrast, saturation and hue, without clamping",
      .make = [](const AugmentOptions&, const Shape& image) -> std::unique_ptr<Augment> {
        if (image[0] != 3) {
          raise(Fault::usage,
                "ssd-jitter changes colours, but the images have {} channels; try: "
                "--augment without it",
                image[0]);
        }
        return std::make_unique<SsdJitter>();
      },
  };
}

}  // namespace convoy
