// Sets a random rectangle of the normalised image to 0: torchvision's RandomErasing, with 2 to 33 %
// of the area. If ten rectangles do not fit, the image is not changed.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/augment/augment.h"

namespace convoy {
namespace {

constexpr int tries = 10;
constexpr double least_area = 0.02, most_area = 0.33;
constexpr double least_ratio = 0.3, most_ratio = 3.3;  // height / width, log-uniform

struct Options {
  double probability = 0;

  void describe(Fields& field) {
    field("random-erase", probability,
          "probability that a rectangle of the normalised image becomes 0", between(0, 1));
  }
};

double probability_of(const OptionTexts& own) { return own.read<Options>().probability; }

class RandomErase final : public Augment {
 public:
  explicit RandomErase(double probability) : probability_(probability) {}

  void apply(float* pixels, const Shape& image, std::byte*, Random random) const override {
    if (random.uniform() >= probability_) return;
    const int64_t height = image[1], width = image[2];
    const auto whole = static_cast<double>(height * width);
    const double low = std::log(least_ratio), high = std::log(most_ratio);
    for (int i = 0; i < tries; ++i) {
      const double area = whole * (least_area + (most_area - least_area) * random.uniform());
      const double ratio = std::exp(low + (high - low) * random.uniform());
      const int64_t h = std::llrint(std::sqrt(area * ratio));
      const int64_t w = std::llrint(std::sqrt(area / ratio));
      if (h >= height || w >= width) continue;
      const int64_t y = random.below(static_cast<uint32_t>(height - h + 1));
      const int64_t x = random.below(static_cast<uint32_t>(width - w + 1));
      for (int64_t c = 0; c < image[0]; ++c) {
        for (int64_t row = y; row < y + h; ++row) {
          std::fill_n(pixels + (c * height + row) * width + x, w, 0.0f);
        }
      }
      return;
    }
  }

 private:
  double probability_;
};

}  // namespace

AugmentDef random_erase_augment() {
  return {
      .name = "random-erase",
      .help = "sets a rectangle to 0 with probability --random-erase, after normalisation",
      .after_normaliser = true,
      .describe = describe_options<Options>,
      .asked = [](const OptionTexts& own) { return probability_of(own) > 0; },
      .make = [](const AugmentOptions& options, const Shape&) -> std::unique_ptr<Augment> {
        const double probability = probability_of(options.own);
        if (!(probability > 0)) {
          raise(Fault::usage, "random-erase has no probability; try: --random-erase 0.1");
        }
        return std::make_unique<RandomErase>(probability);
      },
  };
}

}  // namespace convoy
