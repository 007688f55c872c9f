// Resizes the whole picture to a square of --eval-resize pixels, ignoring its aspect ratio, and
// cuts out the centre, as in the training of Caffe's networks.
#include "data/views/view_maker.h"

namespace convoy {
namespace {

class Squash final : public ViewMaker {
 public:
  explicit Squash(const PictureSpec& spec)
      : size_(spec.size), resize_(spec.options.read<ResizeOption>().of(spec.size)) {}

  PictureView make(int64_t width, int64_t height, const std::vector<Box>&, Random) const override {
    return {.x = axis(width), .y = axis(height)};
  }

 private:
  ViewAxis axis(int64_t length) const {
    return {0, static_cast<double>(length), resize_, (resize_ - size_) / 2, size_};
  }

  int64_t size_, resize_;
};

}  // namespace

ViewDef squash_view() {
  return {
      .name = "squash",
      .help = "the whole picture to a square of --eval-resize, then the square in the middle",
      .describe = describe_options<ResizeOption>,
      .told = told_resize,
      .make = [](const PictureSpec& spec) -> std::unique_ptr<ViewMaker> {
        return std::make_unique<Squash>(spec);
      },
  };
}

}  // namespace convoy
