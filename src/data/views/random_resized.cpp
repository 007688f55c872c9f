// torchvision's RandomResizedCrop: area and logarithm of the aspect ratio are uniform; after ten
// crops that do not fit, the largest centre crop within the ratios.
#include <algorithm>
#include <cmath>

#include "data/views/view_maker.h"

namespace convoy {
namespace {

constexpr int tries = 10;

class RandomResized final : public ViewMaker {
 public:
  explicit RandomResized(const PictureSpec& spec)
      : size_(spec.size),
        area_(spec.options.read<RandomCropOptions>().area_or({0.08, 1})),
        ratio_(spec.options.read<RandomCropOptions>().ratio_or({3.0 / 4, 4.0 / 3})) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>&,
                   Random random) const override {
    const auto pixels = static_cast<double>(width * height);
    const double low = std::log(ratio_.low), high = std::log(ratio_.high);
    for (int i = 0; i < tries; ++i) {
      const double area = pixels * (area_.low + (area_.high - area_.low) * random.uniform());
      const double ratio = std::exp(low + (high - low) * random.uniform());
      const int64_t w = rounded(std::sqrt(area * ratio)), h = rounded(std::sqrt(area / ratio));
      if (w < 1 || w > width || h < 1 || h > height) continue;
      const auto y = static_cast<int64_t>(random.below(static_cast<uint32_t>(height - h + 1)));
      const auto x = static_cast<int64_t>(random.below(static_cast<uint32_t>(width - w + 1)));
      return crop_view(x, y, w, h, size_);
    }
    int64_t w = width, h = height;
    const double ratio = static_cast<double>(width) / static_cast<double>(height);
    if (ratio < ratio_.low)
      h = std::clamp<int64_t>(rounded(static_cast<double>(w) / ratio_.low), 1, height);
    if (ratio > ratio_.high)
      w = std::clamp<int64_t>(rounded(static_cast<double>(h) * ratio_.high), 1, width);
    return crop_view((width - w) / 2, (height - h) / 2, w, h, size_);
  }

 private:
  static int64_t rounded(double value) { return std::llround(std::nearbyint(value)); }

  int64_t size_;
  RandomCropOptions::Range area_, ratio_;
};

}  // namespace

ViewDef random_resized_view() {
  return {
      .name = "random-resized",
      .help = "torchvision's: area 0.08 to 1, ratio 3/4 to 4/3, ten tries",
      .is_random = true,
      .describe = describe_options<RandomCropOptions>,
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<RandomResized>(spec);
      },
  };
}

}  // namespace convoy
