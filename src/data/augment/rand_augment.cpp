// RandAugment: two of fourteen effects, all of one magnitude.
#include "data/policy/policy_augment.h"

namespace convoy {
namespace {

constexpr std::string_view own_name = "rand-augment";
constexpr int effects = 2;

class RandAugment final : public policy::PolicyAugment {
 public:
  RandAugment(const AugmentOptions& options, const Shape& image)
      : PolicyAugment(own_name, options, image),
        space_(policy::rand_augment_space(image)),
        bin_(options.ra_magnitude) {}

  policy::DrawnEffects draw(Random random) const override {
    policy::DrawnEffects drawn;
    for (int i = 0; i < effects; ++i) drawn.add(space_.draw(bin_, random));
    return drawn;
  }

 private:
  policy::EffectSpace space_;
  int bin_;
};

}  // namespace

AugmentDef rand_augment_augment() {
  return {
      .name = own_name,
      .help = "policy: two effects of --ra-magnitude, of 0 to 30",
      .policy = "ra",
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return std::make_unique<RandAugment>(options, image);
      },
  };
}

}  // namespace convoy
