// Crops and resizes a picture to an image of fixed size: planes of bytes or of floats.
#pragma once

#include <cstdint>
#include <vector>

#include "base/text/words.h"
#include "pictures/picture.h"

namespace convoy {

enum class Interpolation {
  bilinear,         // antialiased, like Pillow and torchvision
  bicubic,          // the same
  nearest,          // like Pillow
  legacy_bilinear,  // TensorFlow 1: two neighbours, pixel i at i * in / out
  // TensorFlow's CropAndResize: two neighbours, the first and last pixel of the image at the first
  // and last of the box; 0 outside of the picture.
  corner_aligned,
};

constexpr auto words_of(Interpolation) {
  return words<Interpolation>("bilinear", "bicubic", "nearest", "legacy-bilinear",
                              "corner-aligned");
}

// One direction of a view. `length` pixels of the picture, from `from` on, are resized to `whole`
// pixels; the image is [first, first + count) of them.
struct ViewAxis {
  double from = 0, length = 0;
  int64_t whole = 0, first = 0, count = 0;
};

struct PictureView {
  ViewAxis x, y;
};

// The same view in a picture that was decoded at 1 / shrink of its size.
PictureView shrunk(const PictureView& view, int shrink);

// Resizes one picture after another and reuses its memory. One thread at a time.
class Resizer {
 public:
  // Returns the pixels that the view needs from a picture of this size.
  const PixelRect& plan(const PictureView& view, int64_t width, int64_t height, Interpolation how);

  // Makes the image of the last plan: three planes of view.y.count rows of view.x.count bytes.
  // `pixels` must include the planned region.
  void run(const Pixels& pixels, uint8_t* image) { make(pixels, image); }
  // The same without rounding: floats of 0..255.
  void run(const Pixels& pixels, float* image) { make(pixels, image); }

 private:
  template <class T>
  void make(const Pixels& pixels, T* image);

  // The weights of the pixels first[i] .. first[i] + taps - 1 of the picture, for output i.
  struct Taps {
    int64_t begin = 0, end = 0;  // of all pixels that are used
    int64_t taps = 0;
    std::vector<int32_t> first;
    std::vector<float> weights;  // [count][taps]
    void plan(const ViewAxis& axis, int64_t size, Interpolation how);

   private:
    // Gives every output the same number of taps; missing ones have zero weight, behind the window
    // or, at the end of the picture, before it.
    void make_even(int64_t low, int64_t high);

    std::vector<int64_t> low_;
    std::vector<double> weight_;
  };

  Taps x_, y_;
  PixelRect needed_;
  bool rounds_ = true;          // between the passes, like Pillow
  std::vector<float> scratch_;  // of the first pass
  std::vector<float> ring_;     // rows of the first pass that the second still needs
  std::vector<float*> rows_;
  std::vector<const float*> taken_;
};

}  // namespace convoy
