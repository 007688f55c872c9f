// The centre of the picture: resizes its shorter side to --eval-resize, then cuts out a square. The
// rounding of the longer side and of an odd offset is torchvision's, or TensorFlow's with
// TensorFlow's interpolation.
#include <algorithm>
#include <cmath>

#include "data/views/view_maker.h"

namespace convoy {
namespace {

class Centre final : public ViewMaker {
 public:
  explicit Centre(const PictureSpec& spec)
      : size_(spec.size),
        resize_(spec.options.read<ResizeOption>().of(spec.size)),
        tensorflow_(spec.how == Interpolation::legacy_bilinear) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>&, Random) const override {
    const int64_t shorter = std::min(width, height);
    return {.x = axis(width, shorter), .y = axis(height, shorter)};
  }

 private:
  ViewAxis axis(int64_t length, int64_t shorter) const {
    int64_t whole = 0, first = 0;
    if (tensorflow_) {
      const float scale = static_cast<float>(resize_) / static_cast<float>(shorter);
      whole = std::max(static_cast<int64_t>(static_cast<float>(length) * scale), size_);
      first = (whole - size_) / 2;
    } else {
      whole = length == shorter ? resize_ : resize_ * length / shorter;
      first = std::llround(std::nearbyint(static_cast<double>(whole - size_) / 2));
    }
    return {0, static_cast<double>(length), whole, first, size_};
  }

  int64_t size_, resize_;
  bool tensorflow_;
};

}  // namespace

ViewDef centre_view() {
  return {
      .name = "centre",
      .help = "shorter side to --eval-resize, then the square in the middle",
      .describe = describe_options<ResizeOption>,
      .told = told_resize,
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<Centre>(spec);
      },
  };
}

}  // namespace convoy
