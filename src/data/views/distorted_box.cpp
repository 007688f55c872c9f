// TensorFlow's sample_distorted_bounding_box, as the Habana and Graphcore recipes use it. The
// aspect ratio is uniform, the height a uniform whole number within the area limits, and the crop
// must cover a tenth of some object (of the picture, if no object is known). After a hundred failed
// crops, the whole picture.
#include <algorithm>
#include <cmath>

#include "data/views/view_maker.h"

namespace convoy {
namespace {

constexpr int tries = 100;
constexpr double least_covered = 0.1;

struct Crop {
  int64_t x, y, w, h;
};

class DistortedBox final : public ViewMaker {
 public:
  explicit DistortedBox(const PictureSpec& spec)
      : size_(spec.size),
        area_(spec.options.read<RandomCropOptions>().area_or({0.05, 1})),
        ratio_(spec.options.read<RandomCropOptions>().ratio_or({0.75, 1.33})) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>& boxes,
                   Random random) const override {
    for (int i = 0; i < tries; ++i) {
      Crop crop{};
      if (draw(width, height, random, crop) && covers(crop, width, height, boxes)) {
        return crop_view(crop.x, crop.y, crop.w, crop.h, size_);
      }
    }
    return crop_view(0, 0, width, height, size_);
  }

 private:
  bool draw(int64_t width, int64_t height, Random& random, Crop& crop) const {
    const double ratio = ratio_.low + (ratio_.high - ratio_.low) * random.uniform();
    const auto pixels = static_cast<double>(width * height);
    const double least = area_.low * pixels, most = area_.high * pixels;
    const auto width_of = [&](int64_t h) { return std::lrint(static_cast<double>(h) * ratio); };
    int64_t h = std::lrint(std::sqrt(least / ratio));
    int64_t highest = std::lrint(std::sqrt(most / ratio));
    if (width_of(highest) > width) {
      constexpr double below = 1e-7;
      highest = static_cast<int64_t>((static_cast<double>(width) + 0.5 - below) / ratio);
      if (width_of(highest) > width) --highest;
    }
    highest = std::min(highest, height);
    h = std::min(h, highest);
    if (h < highest) h += random.below(static_cast<uint32_t>(highest - h + 1));
    // Rounding may miss the area limits by a row.
    const auto area = [&] { return static_cast<double>(h * width_of(h)); };
    if (area() < least) ++h;
    if (area() > most) --h;
    const int64_t w = width_of(h);
    if (h < 1 || w < 1 || h > height || w > width || area() < least || area() > most) return false;
    const int64_t y = h < height ? random.below(static_cast<uint32_t>(height - h)) : 0;
    const int64_t x = w < width ? random.below(static_cast<uint32_t>(width - w)) : 0;
    crop = {x, y, w, h};
    return true;
  }

  static bool covers(const Crop& crop, int64_t width, int64_t height,
                     const std::vector<Box>& boxes) {
    if (boxes.empty()) {
      return static_cast<double>(crop.w * crop.h) >=
             least_covered * static_cast<double>(width * height);
    }
    return std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
      const double x0 = box.xmin * static_cast<double>(width),
                   x1 = box.xmax * static_cast<double>(width);
      const double y0 = box.ymin * static_cast<double>(height),
                   y1 = box.ymax * static_cast<double>(height);
      const double area = (x1 - x0) * (y1 - y0);
      if (!(area >= 1)) return false;
      const double w = std::min(x1, static_cast<double>(crop.x + crop.w)) -
                       std::max(x0, static_cast<double>(crop.x));
      const double h = std::min(y1, static_cast<double>(crop.y + crop.h)) -
                       std::max(y0, static_cast<double>(crop.y));
      return w > 0 && h > 0 && w * h >= least_covered * area;
    });
  }

  int64_t size_;
  RandomCropOptions::Range area_, ratio_;
};

}  // namespace

ViewDef distorted_box_view() {
  return {
      .name = "distorted-box",
      .help = "TensorFlow's: area 0.05 to 1, ratio 0.75 to 1.33, a tenth of an object seen",
      .is_random = true,
      .describe = describe_options<RandomCropOptions>,
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<DistortedBox>(spec);
      },
  };
}

}  // namespace convoy
