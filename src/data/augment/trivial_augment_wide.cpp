// TrivialAugmentWide: one of fourteen effects at one of 31 magnitudes from a wide range.
#include "data/policy/policy_augment.h"

namespace convoy {
namespace {

constexpr std::string_view own_name = "trivial-augment-wide";

class TrivialAugmentWide final : public policy::PolicyAugment {
 public:
  TrivialAugmentWide(const AugmentOptions& options, const Shape& image)
      : PolicyAugment(own_name, options, image), space_(policy::trivial_augment_space()) {}

  policy::DrawnEffects draw(Random random) const override {
    const auto bin = static_cast<int>(random.below(static_cast<uint32_t>(space_.bins())));
    policy::DrawnEffects drawn;
    drawn.add(space_.draw(bin, random));
    return drawn;
  }

 private:
  policy::EffectSpace space_;
};

}  // namespace

AugmentDef trivial_augment_wide_augment() {
  return {
      .name = own_name,
      .help = "policy: one effect of any magnitude, up to 32 pixels, 135 degrees …",
      .policy = "ta_wide",
      .describe = describe_options<policy::PolicyOptions>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return std::make_unique<TrivialAugmentWide>(options, image);
      },
  };
}

}  // namespace convoy
