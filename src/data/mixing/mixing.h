// Mixup and cutmix: mix images of a micro-batch, and their labels. This file draws the partners and
// amounts for each image; the network's first op mixes the pixels, and its loss reads the labels
// (ops/mixing.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text/words.h"
#include "config/fields.h"
#include "tensor/shape.h"

namespace convoy {

// The tensors that mixing adds to a batch of n images:
//   mix_source s32 [n, 4]  indices within the micro-batch of the four images that are mixed: two
//                          outside the box, two inside it
//   mix_box    s32 [n, 4]  left, top, right, bottom; right and bottom are exclusive
//   mix_share  f32 [n, 4]  weight of each source's pixels: outside the box, inside it
//   mix_weight f32 [n, 4]  weight of each source's label in the target
//   mix_label  s32 [n]     the label for the training accuracy
std::vector<std::pair<std::string, TensorType>> mixing_tensors(int64_t n);

// Pointers to these rows of a micro-batch.
struct MixRows {
  int32_t *source, *box;
  float *share, *weight;
  int32_t* label;
};

struct MixBox {
  int32_t left = 0, top = 0, right = 0, bottom = 0;
  // The fraction outside the box, in an image of that many pixels.
  double kept(int64_t pixels) const;
};

enum class MixupForm { automatic, batch, sample, reversed };
constexpr auto words_of(MixupForm) {
  return words<MixupForm>("auto", "batch", "sample", "reversed");
}

struct Mixing {
  double mixup_alpha = 0;
  MixupForm mixup_form = MixupForm::automatic;
  double cutmix_alpha = 0;
  double cutmix_lambda = 1;
  int cutmix_version = 1;

  // Declares the options and refuses those that would have no effect.
  void describe(Fields& field);
  // Refuses a micro-batch of one image.
  void check(int64_t micro_batch) const;

  bool on() const { return mixup_alpha > 0 || cutmix_alpha > 0 || cutmix_lambda < 1; }

  // Writes all rows of a micro-batch of n images [c, h, w] with these labels: a function of the
  // key. A single image is not changed.
  void draw(uint64_t key, int64_t n, const Shape& image, const int32_t* labels,
            const MixRows& rows) const;

 private:
  bool per_sample() const {
    return mixup_form != MixupForm::batch && (mixup_form != MixupForm::automatic || cuts_all());
  }
  bool reversed() const { return mixup_form == MixupForm::reversed; }
  bool cuts_all() const { return cutmix_lambda < 1; }
  bool counts_own_label() const;
};

// The boxes: torchvision's is clipped at the border, Graphcore's is moved inside. `x` and `y` in
// [0, 1) are its centre.
MixBox clipped_box(double lambda, double x, double y, int64_t height, int64_t width);
MixBox inner_box(double lambda, double x, double y, int64_t height, int64_t width);

// The fraction that Graphcore's cutmix, version 1, keeps: all of the image, or a value from a
// truncated exponential distribution.
double drawn_cutmix_lambda(double lambda, double u0, double u1);

}  // namespace convoy
