// One effect of a policy on an image, with its amount. Results equal torchvision's on Pillow
// images.
#pragma once

#include "data/policy/geometry.h"
#include "data/policy/planes.h"

namespace convoy::policy {

enum class Effect : uint8_t {
  identity,
  shear_x,       // amount: pixels per row
  shear_y,       // pixels per column
  translate_x,   // pixels, truncated to whole ones
  translate_y,   // the same
  rotate,        // degrees, counter-clockwise
  brightness,    // this and the next three: the factor (data/policy/enhance.h)
  colour,        //
  contrast,      //
  sharpness,     //
  posterize,     // number of bits kept
  solarize,      // the threshold
  autocontrast,  // no amount, as for the next two
  equalize,      //
  invert,        //
  hue,           // turns
};

struct EffectStep {
  Effect effect = Effect::identity;
  double amount = 0;

  bool operator==(const EffectStep&) const = default;
};

// The bytes of scratch that an effect uses on an image of `image_bytes` bytes.
int64_t effect_scratch(int64_t image_bytes);

void apply(const EffectStep& step, const Planes& image, Sampling sampling, uint8_t* scratch);

}  // namespace convoy::policy
