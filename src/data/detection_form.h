// What detection training and evaluation take from a sample with objects (data/objects.h).
//
// Tensors, in the order of the default boxes:
//   box_classes s32 [boxes]     the class of each default box; 0: background
//   box_codes   f32 [boxes, 4]  ty, tx, th, tw of its object; 0 for background
// Details: the true objects of the picture, all of them (`truth_of`).
//
// Objects follow the view and the flips: those whose centre is outside of the image are left out,
// the others are clipped to it. Where none is left, all boxes are background.
#pragma once

#include <span>

#include "boxes/match.h"
#include "data/loading/batch.h"

namespace convoy {

class DetectionForm final : public SampleForm {
 public:
  // `image`: [c, h, w].
  DetectionForm(const DefaultBoxSpec& boxes, const Shape& image)
      : matcher_(boxes), height_(image[1]), width_(image[2]) {}

  const DefaultBoxes& boxes() const { return matcher_.boxes(); }
  int64_t height() const { return height_; }  // of the image
  int64_t width() const { return width_; }
  TensorList tensors() const override;
  void write(const Sample& sample, Batch& batch, int64_t i) const override;

 private:
  BoxMatcher matcher_;
  int64_t height_, width_;
};

// What an evaluation compares sample `i` of a batch with. Borrows the batch.
struct PictureTruth {
  int64_t image_id = 0, height = 0, width = 0;  // of the picture, in pixels
  std::span<const double> objects;              // rows as in object_tensor::truth
};
PictureTruth truth_of(const Batch& batch, int64_t i);

}  // namespace convoy
