// The effects among which a policy chooses, and how much each does at each of the policy's bins:
// torchvision's tables, in single precision as it computes them.
#pragma once

#include <vector>

#include "base/random.h"
#include "data/policy/effect.h"
#include "tensor/shape.h"

namespace convoy::policy {

struct EffectRange {
  Effect effect = Effect::identity;
  double first = 0, last = 0;  // magnitudes of the first and the last bin, in equal steps
  bool has_sign = false;       // may be turned round: to the other side, or less instead of more
};

class EffectSpace {
 public:
  EffectSpace(std::vector<EffectRange> ranges, int bins);

  int bins() const { return bins_; }
  const std::vector<EffectRange>& ranges() const { return ranges_; }

  // A range's effect at a bin; `negative` matters where it has a sign.
  EffectStep step(const EffectRange& range, int bin, bool negative) const;
  // The same of the effect itself, which must be among them.
  EffectStep step(Effect effect, int bin, bool negative) const;

  // One of the effects, all alike, with one of its signs.
  EffectStep draw(int bin, Random& random) const;

 private:
  std::vector<EffectRange> ranges_;
  int bins_;
};

// Of AutoAugment (with invert), of RandAugment (with identity), of TrivialAugmentWide, of AugMix.
EffectSpace auto_augment_space(const Shape& image);
EffectSpace rand_augment_space(const Shape& image);
EffectSpace trivial_augment_space();
EffectSpace augmix_space(const Shape& image);

}  // namespace convoy::policy
