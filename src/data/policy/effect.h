// One effect of a policy on an image: what, and how much. The results are those of torchvision on
// Pillow's images.
#pragma once

#include "data/policy/geometry.h"
#include "data/policy/planes.h"

namespace convoy::policy {

enum class Effect : uint8_t {
  identity,
  shear_x,       // amount: pixels a row
  shear_y,       // pixels a column
  translate_x,   // pixels, cut off to whole ones
  translate_y,   // likewise
  rotate,        // degrees against the clock
  brightness,    // this and the next three: the factor (data/policy/enhance.h)
  colour,        //
  contrast,      //
  sharpness,     //
  posterize,     // bits that stay
  solarize,      // the threshold
  autocontrast,  // this and the next two have no amount
  equalize,      //
  invert,        //
  hue,           // turns
};

struct EffectStep {
  Effect effect = Effect::identity;
  double amount = 0;

  bool operator==(const EffectStep&) const = default;
};

// The bytes of scratch that an effect on an image of so many bytes uses.
int64_t effect_scratch(int64_t image_bytes);

void apply(const EffectStep& step, const Planes& image, Sampling sampling, uint8_t* scratch);

}  // namespace convoy::policy
