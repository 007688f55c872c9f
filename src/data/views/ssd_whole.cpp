// The whole picture, whatever its aspect ratio, resized by TensorFlow 1's bilinear interpolation:
// how SSD-ResNet34 is evaluated. Its pixels are not rounded.
#include "data/views/view_maker.h"

namespace convoy {
namespace {

class SsdWhole final : public ViewMaker {
 public:
  explicit SsdWhole(int64_t size) : size_(size) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>&, Random) const override {
    return crop_view(0, 0, width, height, size_);
  }

 private:
  int64_t size_;
};

}  // namespace

ViewDef ssd_whole_view() {
  return {
      .name = "ssd-whole",
      .help = "SSD's: the whole picture, whatever its shape; legacy-bilinear, not rounded",
      .floats = true,
      .how = Interpolation::legacy_bilinear,
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<SsdWhole>(spec.size);
      },
  };
}

}  // namespace convoy
