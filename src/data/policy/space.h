// The effects a policy chooses from, and the amount of each at each of its bins: torchvision's
// tables, in single precision as torchvision computes them.
#pragma once

#include <vector>

#include "base/random.h"
#include "data/policy/effect.h"
#include "tensor/shape.h"

namespace convoy::policy {

struct EffectRange {
  Effect effect = Effect::identity;
  double first = 0, last = 0;  // magnitudes of the first and the last bin, in equal intervals
  bool has_sign = false;       // may be negative: the other direction, or less instead of more
};

class EffectSpace {
 public:
  EffectSpace(std::vector<EffectRange> ranges, int bins);

  int bins() const { return bins_; }
  const std::vector<EffectRange>& ranges() const { return ranges_; }

  // The effect of a range at a bin; `negative` is used only if it has a sign.
  EffectStep step(const EffectRange& range, int bin, bool negative) const;
  // The same by effect, which must be one of the space.
  EffectStep step(Effect effect, int bin, bool negative) const;

  // Draws one of the effects, all equally likely, with a random sign if it has one.
  EffectStep draw(int bin, Random& random) const;

 private:
  std::vector<EffectRange> ranges_;
  int bins_;
};

// The spaces of AutoAugment (with invert), RandAugment (with identity), TrivialAugmentWide and
// AugMix.
EffectSpace auto_augment_space(const Shape& image);
EffectSpace rand_augment_space(const Shape& image);
EffectSpace trivial_augment_space();
EffectSpace augmix_space(const Shape& image);

}  // namespace convoy::policy
