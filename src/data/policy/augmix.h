// What AugMix draws for an image: weights of the image and of three copies of it, each under one to
// three effects. Severity is the number of bins, from the weakest, that magnitudes come from.
#pragma once

#include "data/policy/policy_augment.h"

namespace convoy::policy {

struct AugMixDraw {
  static constexpr size_t copies = 3;
  float image_weight = 1;
  std::array<float, copies> weights{};  // with that of the image they sum up to 1
  std::array<DrawnEffects, copies> effects;
};

AugMixDraw draw_augmix(const EffectSpace& space, int severity, Random random);

}  // namespace convoy::policy
