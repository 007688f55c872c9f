#include "data/policy/auto_augment.h"

namespace convoy::policy {
namespace {

class AutoAugment final : public PolicyAugment {
 public:
  AutoAugment(std::string_view name, std::span<const AutoRow> rows, const AugmentOptions& options,
              const Shape& image)
      : PolicyAugment(name, options, image), rows_(rows), space_(auto_augment_space(image)) {}

  DrawnEffects draw(Random random) const override {
    DrawnEffects drawn;
    const AutoRow& row = rows_[random.below(static_cast<uint32_t>(rows_.size()))];
    for (const AutoEffect& each : {row.first, row.second}) {
      const bool happens = random.uniform() < each.probability, negative = random.below(2) == 1;
      if (happens) drawn.add(space_.step(each.effect, each.bin, negative));
    }
    return drawn;
  }

 private:
  std::span<const AutoRow> rows_;
  EffectSpace space_;
};

}  // namespace

std::unique_ptr<Augment> make_auto_augment(std::string_view name, std::span<const AutoRow> rows,
                                           const AugmentOptions& options, const Shape& image) {
  return std::make_unique<AutoAugment>(name, rows, options, image);
}

}  // namespace convoy::policy
