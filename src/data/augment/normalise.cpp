// (x / 255 - mean) / std, with one mean and deviation per channel.
#include "data/augment/mean_std.h"

namespace convoy {
namespace {

class Normalise final : public Augment {
 public:
  explicit Normalise(const MeanStd& options) : mean_(options.mean), std_(options.std) {}

  void apply(float* pixels, const Shape& image, std::byte*, Random) const override {
    const int64_t plane = image[1] * image[2];
    for (int64_t c = 0; c < image[0]; ++c) {
      for (int64_t i = c * plane; i < (c + 1) * plane; ++i) pixels[i] = value(pixels[i], c);
    }
  }

  bool map(float* table, int64_t channel) const override {
    for (int i = 0; i < 256; ++i) table[i] = value(table[i], channel);
    return true;
  }

 private:
  float value(float x, int64_t channel) const {
    const auto c = static_cast<size_t>(channel);
    return static_cast<float>((static_cast<double>(x) / 255 - mean_[c]) / std_[c]);
  }

  std::vector<double> mean_, std_;
};

}  // namespace

AugmentDef normalise_augment() {
  return {
      .name = "mean-std",
      .help = "(x / 255 - mean) / std per channel",
      .normaliser = true,
      .describe = describe_options<MeanStd>,
      .told = told_mean_std,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return std::make_unique<Normalise>(mean_std_of(options, image[0]));
      },
  };
}

}  // namespace convoy
