// Mixup and cutmix: images of a micro-batch, and their labels, mixed with one another. Here is what
// is mixed with what and how much, as the stacks draw it (spec C.6); the network's first op does
// it, and its loss reads the labels (ops/mixing.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text/words.h"
#include "config/fields.h"
#include "tensor/shape.h"

namespace convoy {

// What the mixing of n images adds to a batch:
//   mix_source s32 [n, 4]  whose pixels and labels: two images outside the box, two inside it;
//                          numbers within the micro-batch
//   mix_box    s32 [n, 4]  left, top, right, bottom; right and bottom are outside
//   mix_share  f32 [n, 4]  of each source in the pixels: outside the box, inside it
//   mix_weight f32 [n, 4]  of each source's label in the target
//   mix_label  s32 [n]     the label that accuracy is counted by
std::vector<std::pair<std::string, TensorType>> mixing_tensors(int64_t n);

// Where the rows of a micro-batch are.
struct MixRows {
  int32_t *source, *box;
  float *share, *weight;
  int32_t* label;
};

struct MixBox {
  int32_t left = 0, top = 0, right = 0, bottom = 0;
  // Of a picture of that many pixels, what is outside.
  double kept(int64_t pixels) const;
};

enum class MixupForm { automatic, batch, sample, reversed };
constexpr std::array<Word<MixupForm>, 4> words_of(MixupForm) {
  return {{{"auto", MixupForm::automatic},
           {"batch", MixupForm::batch},
           {"sample", MixupForm::sample},
           {"reversed", MixupForm::reversed}}};
}

struct Mixing {
  double mixup_alpha = 0;
  MixupForm mixup_form = MixupForm::automatic;
  double cutmix_alpha = 0;
  double cutmix_lambda = 1;
  int cutmix_version = 1;

  // Declares the options and refuses those that would do nothing.
  void describe(Fields& field);
  // Refuses a micro-batch in which there is nothing to mix.
  void check(int64_t micro_batch) const;

  bool on() const { return mixup_alpha > 0 || cutmix_alpha > 0 || cutmix_lambda < 1; }

  // All rows of a micro-batch of n images [c, h, w] with these labels: a function of the key. A
  // single image stays as it is.
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

// The boxes: torchvision's, cut off at the border, and Graphcore's, moved inside. `x` and `y` in
// [0, 1) say where the centre is.
MixBox clipped_box(double lambda, double x, double y, int64_t height, int64_t width);
MixBox inner_box(double lambda, double x, double y, int64_t height, int64_t width);

// The share that Graphcore's cutmix, version 1, keeps: all of the image, or what an exponential
// distribution says.
double drawn_cutmix_lambda(double lambda, double u0, double u1);

}  // namespace convoy
