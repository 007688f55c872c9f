// (x / 255 - mean) / std, with one mean and deviation per channel.
#include <fmt/format.h>

#include "base/error.h"
#include "data/augment/augment.h"

namespace convoy {
namespace {

struct Options {
  std::vector<double> mean, std;  // empty: the dataset's

  void describe(Fields& field) {
    field("mean", mean,
          "mean of the pixels in 0..1, one or one per channel of the image, in its order; default: "
          "the dataset's",
          between(-1000, 1000));
    field("std", std,
          "standard deviation of the pixels in 0..1, one or one per channel of the image, in its "
          "order; default: the dataset's",
          between(1e-6, 1000));
  }
};

Options resolved(const AugmentOptions& options) {
  auto own = options.own.read<Options>();
  if (own.mean.empty()) own.mean = options.mean;
  if (own.std.empty()) own.std = options.std;
  return own;
}

class Normalise final : public Augment {
 public:
  Normalise(const Options& options, int64_t channels) {
    for (int64_t c = 0; c < channels; ++c) {
      mean_.push_back(options.mean[options.mean.size() == 1 ? 0 : static_cast<size_t>(c)]);
      std_.push_back(options.std[options.std.size() == 1 ? 0 : static_cast<size_t>(c)]);
    }
  }

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

void check(std::string_view key, const std::vector<double>& values, int64_t channels) {
  if (values.size() != 1 && static_cast<int64_t>(values.size()) != channels) {
    raise(Fault::usage,
          "{} values for {}, but the images have {} channels; try: one value, or one per channel",
          values.size(), key, channels);
  }
}

}  // namespace

AugmentDef normalise_augment() {
  return {
      .name = "mean-std",
      .help = "(x / 255 - mean) / std per channel",
      .normaliser = true,
      .describe = describe_options<Options>,
      .told = [](const AugmentOptions& options) -> ToldOptions {
        const Options own = resolved(options);
        return {{"mean", fmt::format("{}", fmt::join(own.mean, ","))},
                {"std", fmt::format("{}", fmt::join(own.std, ","))}};
      },
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        const Options own = resolved(options);
        check("mean", own.mean, image[0]);
        check("std", own.std, image[0]);
        for (const double std : own.std) {
          if (!(std > 0))
            raise(Fault::usage, "a std of {} for the pixels; try: values above 0", std);
        }
        return std::make_unique<Normalise>(own, image[0]);
      },
  };
}

}  // namespace convoy
