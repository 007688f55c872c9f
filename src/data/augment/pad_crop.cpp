// Pads the image on each side and cuts a window of the old size at a random position. The padding
// is the pixel value 0, black, as in the recipes that pad before they normalise; it is not the
// mean.
#include <algorithm>

#include "base/error.h"
#include "data/augment/augment.h"

namespace convoy {
namespace {

struct Options {
  int padding = 4;

  void describe(Fields& field) {
    field("crop-padding", padding, "pixels that pad-crop pads on each side",
          between(0, 4096).after("crop-ratio"));
  }
};

class PadCrop final : public Augment {
 public:
  explicit PadCrop(int padding) : padding_(padding) {}

  size_t needs(const Shape& image) const override {
    return static_cast<size_t>(image[1] * image[2]) * sizeof(float);
  }

  void apply(float* pixels, const Shape& image, std::byte* scratch, Random random) const override {
    const auto [dy, dx] = draw(random);
    const int64_t h = image[1], w = image[2];
    auto* before = reinterpret_cast<float*>(scratch);
    for (int64_t c = 0; c < image[0]; ++c) {
      float* plane = pixels + c * h * w;
      std::copy_n(plane, h * w, before);
      for (int64_t y = 0; y < h; ++y) {
        for (int64_t x = 0; x < w; ++x) {
          const int64_t from_y = y + dy, from_x = x + dx;
          const bool inside = from_y >= 0 && from_y < h && from_x >= 0 && from_x < w;
          plane[y * w + x] = inside ? before[from_y * w + from_x] : 0;
        }
      }
    }
  }

  bool place(Placement& placement, const Shape&, Random random) const override {
    if (placement.moved) return false;
    const auto [dy, dx] = draw(random);
    placement.moved = true;
    placement.dy = dy;
    placement.dx = placement.mirrored ? -dx : dx;
    return true;
  }

 private:
  struct Move {
    int64_t dy, dx;
  };
  Move draw(Random& random) const {
    const auto places = static_cast<uint32_t>(2 * padding_ + 1);
    const auto dy = static_cast<int64_t>(random.below(places)) - padding_;
    const auto dx = static_cast<int64_t>(random.below(places)) - padding_;
    return {dy, dx};
  }

  int padding_;
};

}  // namespace

AugmentDef pad_crop_augment() {
  return {
      .name = "pad-crop",
      .help = "pads with black by --crop-padding pixels and crops back at a random place",
      .describe = describe_options<Options>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        const int padding = options.own.read<Options>().padding;
        if (padding >= std::min(image[1], image[2])) {
          raise(Fault::usage,
                "a crop padding of {} does not suit images of {}x{}; try: --crop-padding {}",
                padding, image[1], image[2], std::min(image[1], image[2]) / 8);
        }
        return std::make_unique<PadCrop>(padding);
      },
  };
}

}  // namespace convoy
