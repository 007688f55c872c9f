// The random crop of SSD (Liu 2016), as MLPerf's SSD-ResNet34 draws it. In each pass the whole
// picture is taken with probability 1/7. Otherwise one least overlap and fifty crops are drawn, and
// the last crop is taken that is less than twice as long as wide, overlaps every object by more
// than that, and has the centre of an object inside; if none is, another pass follows.
#include <algorithm>
#include <array>

#include "data/views/view_maker.h"

namespace convoy {
namespace {

constexpr uint32_t one_of_passes = 7;
constexpr int crops_of_pass = 50;
constexpr double least_side = 0.3;
constexpr float most_ratio = 2;
constexpr std::array<float, 6> least_overlaps{0, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f};

// A side and its offset are uniform. Rounding to floats cannot move the end beyond the picture.
void draw(Random& random, float& low, float& high) {
  const double side = least_side + (1 - least_side) * random.uniform();
  low = static_cast<float>((1 - side) * random.uniform());
  high = std::min(static_cast<float>(low + side), 1.0f);
}

Box draw_crop(Random& random) {
  Box crop{};
  draw(random, crop.ymin, crop.ymax);
  draw(random, crop.xmin, crop.xmax);
  return crop;
}

// Whether the overlap (intersection / union) is above `least`.
bool overlaps(const Box& crop, const Box& object, float least) {
  const float both = intersection(crop, object);
  return both / (crop.area() + object.area() - both) > least;
}

bool has_centre(const Box& crop, const Box& object) {
  const double y = (static_cast<double>(object.ymin) + object.ymax) / 2,
               x = (static_cast<double>(object.xmin) + object.xmax) / 2;
  return crop.ymin < y && y < crop.ymax && crop.xmin < x && x < crop.xmax;
}

bool is_valid(const Box& crop, const std::vector<Box>& objects, float least) {
  const float height = crop.ymax - crop.ymin, width = crop.xmax - crop.xmin;
  return height < most_ratio * width && width < most_ratio * height &&
         std::ranges::all_of(objects, [&](const Box& o) { return overlaps(crop, o, least); }) &&
         std::ranges::any_of(objects, [&](const Box& o) { return has_centre(crop, o); });
}

Box choose_crop(const std::vector<Box>& objects, Random random) {
  while (random.below(one_of_passes) != 0) {
    const float least = least_overlaps[random.below(static_cast<uint32_t>(least_overlaps.size()))];
    std::optional<Box> last;
    for (int i = 0; i < crops_of_pass; ++i) {
      const Box crop = draw_crop(random);
      if (is_valid(crop, objects, least)) last = crop;
    }
    if (last) return *last;
  }
  return {0, 0, 1, 1};
}

class SsdCrop final : public ViewMaker {
 public:
  explicit SsdCrop(int64_t size) : size_(size) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>& boxes,
                   Random random) const override {
    const Box crop = choose_crop(boxes, random);
    return {.x = axis(crop.xmin, crop.xmax, width), .y = axis(crop.ymin, crop.ymax, height)};
  }

 private:
  // The products are exact, so that the resizer gets the floats back.
  ViewAxis axis(double low, double high, int64_t pixels) const {
    const auto whole = static_cast<double>(pixels);
    return {low * whole, (high - low) * whole, size_, 0, size_};
  }

  int64_t size_;
};

}  // namespace

ViewDef ssd_crop_view() {
  return {
      .name = "ssd-crop",
      .help = "SSD's: overlaps all objects, 0.3 to 1 of each side; corner-aligned, not rounded",
      .is_random = true,
      .floats = true,
      .how = Interpolation::corner_aligned,
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<SsdCrop>(spec.size);
      },
  };
}

}  // namespace convoy
