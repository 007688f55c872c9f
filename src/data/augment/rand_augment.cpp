// RandAugment: two of fourteen effects, all with one magnitude.
#include "data/policy/policy_augment.h"

namespace convoy {
namespace {

constexpr std::string_view own_name = "rand-augment";
constexpr int effects = 2;

struct Options {
  policy::PolicyOptions policy;
  int magnitude = 9;

  void describe(Fields& field) {
    policy.describe(field);
    field("ra-magnitude", magnitude, "how much the effects of rand-augment do",
          between(0, 30).after("auto-augment"));
  }
};

class RandAugment final : public policy::PolicyAugment {
 public:
  RandAugment(const AugmentOptions& options, const Shape& image)
      : PolicyAugment(own_name, options, image),
        space_(policy::rand_augment_space(image)),
        bin_(options.own.read<Options>().magnitude) {}

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
      .describe = describe_options<Options>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return std::make_unique<RandAugment>(options, image);
      },
  };
}

}  // namespace convoy
