// The random choices of AugMix for an image: weights of the image and of three copies, and one to
// three effects for each copy. `severity`: magnitudes are drawn from the weakest `severity` bins.
#pragma once

#include "data/policy/policy_augment.h"

namespace convoy::policy {

struct AugMixDraw {
  static constexpr size_t copies = 3;
  float image_weight = 1;
  std::array<float, copies> weights{};  // sum to 1 together with image_weight
  std::array<DrawnEffects, copies> effects;
};

AugMixDraw draw_augmix(const EffectSpace& space, int severity, Random random);

}  // namespace convoy::policy
