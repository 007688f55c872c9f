// A part of a picture as an image of fixed size: planes of bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/text/words.h"
#include "pictures/picture.h"

namespace convoy {

enum class Interpolation {
  bilinear,         // antialiased, as Pillow's and torchvision's
  bicubic,          // likewise
  nearest,          // as Pillow's
  legacy_bilinear,  // TensorFlow 1's: two neighbours, pixel i at i * in / out
};

constexpr std::array<Word<Interpolation>, 4> words_of(Interpolation) {
  return {{{"bilinear", Interpolation::bilinear},
           {"bicubic", Interpolation::bicubic},
           {"nearest", Interpolation::nearest},
           {"legacy-bilinear", Interpolation::legacy_bilinear}}};
}

// One direction of a view. `length` pixels of the picture from `from` on are resized to `whole`
// pixels, of which [first, first + count) are the image's.
struct ViewAxis {
  double from = 0, length = 0;
  int64_t whole = 0, first = 0, count = 0;
};

struct PictureView {
  ViewAxis x, y;
};

// The view in a picture that is decoded at 1 / shrink of its size.
PictureView shrunk(const PictureView& view, int shrink);

// Resizes one picture after another and keeps its memory. One thread at a time.
class Resizer {
 public:
  // Says which pixels the view needs, of a picture of that size.
  const PixelRect& plan(const PictureView& view, int64_t width, int64_t height, Interpolation how);

  // The image of the last plan: three planes of view.y.count rows of view.x.count bytes. `pixels`
  // hold at least the planned region.
  void run(const Pixels& pixels, uint8_t* image);

 private:
  // For output i the pixels first[i] .. first[i] + taps - 1 of the picture, with their weights.
  struct Taps {
    int64_t begin = 0, end = 0;  // all pixels that are used
    int64_t taps = 0;
    std::vector<int32_t> first;
    std::vector<float> weights;  // [count][taps]
    void plan(const ViewAxis& axis, int64_t size, Interpolation how);

   private:
    std::vector<int64_t> low_;
    std::vector<double> weight_;
  };

  Taps x_, y_;
  PixelRect needed_;
  bool rounds_ = true;          // between the passes, as Pillow
  std::vector<float> scratch_;  // of the first pass
  std::vector<float> ring_;     // rows of the first pass that the second still needs
  std::vector<float*> rows_;
  std::vector<const float*> taken_;
};

}  // namespace convoy
