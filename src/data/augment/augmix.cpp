// AugMix: the image blended with three copies that chains of effects changed. Effects are rounded
// as Pillow does, as in all policies, though torchvision computes AugMix on tensors.
#include "data/policy/augmix.h"

#include <algorithm>

namespace convoy {
namespace {

constexpr std::string_view own_name = "augmix";

struct Options {
  policy::PolicyOptions policy;
  int severity = 3;

  void describe(Fields& field) {
    field("augmix-severity", severity, "how much the effects of augmix do at most", between(1, 10));
    policy.describe(field);
  }
};

class AugMix final : public ByteAugment {
 public:
  AugMix(const AugmentOptions& options, const Shape& image)
      : options_(options.own.read<Options>()),
        bgr_(options.bgr),
        space_(policy::augmix_space(image)) {
    policy::check_channels(own_name, image);
  }

  // The sum, a copy, and the scratch of its effects.
  size_t byte_needs(const Shape& image) const override {
    const int64_t n = image.count();
    return static_cast<size_t>(n + policy::effect_scratch(n)) +
           static_cast<size_t>(n) * sizeof(float);
  }

  bool distorts() const override { return true; }

  void apply_bytes(uint8_t* pixels, const Shape& image, std::byte* scratch,
                   Random random) const override {
    const int64_t n = image.count();
    auto* sum = reinterpret_cast<float*>(scratch);
    auto* copy = reinterpret_cast<uint8_t*>(sum + n);
    const policy::Planes planes = policy::planes_of(copy, image, bgr_);
    const auto drawn = policy::draw_augmix(space_, options_.severity, random);
    for (int64_t i = 0; i < n; ++i) sum[i] = drawn.image_weight * static_cast<float>(pixels[i]);
    for (size_t k = 0; k < policy::AugMixDraw::copies; ++k) {
      std::copy_n(pixels, n, copy);
      const policy::DrawnEffects& effects = drawn.effects[k];
      for (size_t e = 0; e < effects.count; ++e) {
        policy::apply(effects.steps[e], planes, options_.policy.sampling, copy + n);
      }
      for (int64_t i = 0; i < n; ++i) sum[i] += drawn.weights[k] * static_cast<float>(copy[i]);
    }
    for (int64_t i = 0; i < n; ++i) pixels[i] = static_cast<uint8_t>(std::min(sum[i], 255.0f));
  }

 private:
  Options options_;
  bool bgr_;
  policy::EffectSpace space_;
};

}  // namespace

AugmentDef augmix_augment() {
  return {
      .name = own_name,
      .help = "policy: mixed with three copies under effects of --augmix-severity, of 1 to 10",
      .policy = "augmix",
      .describe = describe_options<Options>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return std::make_unique<AugMix>(options, image);
      },
  };
}

}  // namespace convoy
