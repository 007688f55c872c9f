// (x / 255 - mean) * (1 / std) in single precision, the reciprocal rounded too, as recipes of
// TensorFlow compute it.
#include "data/augment/mean_std.h"

namespace convoy {
namespace {

class NormaliseReciprocal final : public Augment {
 public:
  explicit NormaliseReciprocal(const MeanStd& options) {
    for (const double mean : options.mean) mean_.push_back(static_cast<float>(mean));
    for (const double std : options.std) factor_.push_back(1.0f / static_cast<float>(std));
  }

  void apply(float* pixels, const Shape& image, std::byte*, Random) const override {
    const int64_t plane = image[1] * image[2];
    for (int64_t c = 0; c < image[0]; ++c) change(pixels + c * plane, plane, c);
  }

  bool map(float* table, int64_t channel) const override {
    change(table, 256, channel);
    return true;
  }

 private:
  void change(float* values, int64_t n, int64_t channel) const {
    const float mean = mean_[static_cast<size_t>(channel)];
    const float factor = factor_[static_cast<size_t>(channel)];
    for (int64_t i = 0; i < n; ++i) values[i] = (values[i] / 255.0f - mean) * factor;
  }

  std::vector<float> mean_, factor_;
};

}  // namespace

AugmentDef normalise_reciprocal_augment() {
  return {
      .name = "mean-std-reciprocal",
      .help = "(x / 255 - mean) * (1 / std) in single precision",
      .normaliser = true,
      .describe = describe_options<MeanStd>,
      .told = told_mean_std,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return std::make_unique<NormaliseReciprocal>(mean_std_of(options, image[0]));
      },
  };
}

}  // namespace convoy
