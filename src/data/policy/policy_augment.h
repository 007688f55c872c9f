// The base of all policies: draws a few effects for an image and applies them one after the other.
// The derived class decides which ones.
#pragma once

#include <array>

#include "data/augment/byte_augment.h"
#include "data/policy/space.h"

namespace convoy::policy {

// The effects drawn for one image, in order.
struct DrawnEffects {
  static constexpr size_t most = 4;
  std::array<EffectStep, most> steps{};
  size_t count = 0;

  void add(const EffectStep& step) { steps[count++] = step; }
};

// Images without 1 or 3 channels are a usage error that names the augmentation.
void check_channels(std::string_view name, const Shape& image);

Planes planes_of(uint8_t* pixels, const Shape& image, bool bgr);

// The option of all policies.
struct PolicyOptions {
  Sampling sampling = Sampling::nearest;

  void describe(Fields& field);
};

class PolicyAugment : public ByteAugment {
 public:
  PolicyAugment(std::string_view name, const AugmentOptions& options, const Shape& image);

  virtual DrawnEffects draw(Random random) const = 0;

  size_t byte_needs(const Shape& image) const final {
    return static_cast<size_t>(effect_scratch(image.count()));
  }
  bool distorts() const override { return true; }
  void apply_bytes(uint8_t* pixels, const Shape& image, std::byte* scratch,
                   Random random) const final;

 private:
  Sampling sampling_;
  bool bgr_;
};

}  // namespace convoy::policy
