// Brightness, contrast, saturation and hue by random factors, in random order: torchvision's
// ColorJitter, with Pillow's rounding.
#include <algorithm>

#include "base/error.h"
#include "data/policy/policy_augment.h"

namespace convoy {
namespace {

using policy::Effect;

constexpr std::string_view own_name = "color-jitter";
constexpr std::array<Effect, 4> order{Effect::brightness, Effect::contrast, Effect::colour,
                                      Effect::hue};
constexpr double most_hue = 0.5;

class ColorJitter final : public policy::PolicyAugment {
 public:
  ColorJitter(const AugmentOptions& options, const Shape& image)
      : PolicyAugment(own_name, options, image) {
    std::copy(options.color_jitter.begin(), options.color_jitter.end(), strength_.begin());
  }

  bool distorts() const override { return false; }

  policy::DrawnEffects draw(Random random) const override {
    std::array<size_t, order.size()> turn{0, 1, 2, 3};
    for (size_t i = turn.size() - 1; i > 0; --i) {
      std::swap(turn[i], turn[random.below(static_cast<uint32_t>(i + 1))]);
    }
    policy::DrawnEffects drawn;
    for (const size_t i : turn) {
      const double middle = order[i] == Effect::hue ? 0 : 1;
      const double low = order[i] == Effect::hue ? -strength_[i] : std::max(0.0, 1 - strength_[i]);
      const double amount = low + (middle + strength_[i] - low) * random.uniform();
      if (strength_[i] > 0) drawn.add({order[i], amount});
    }
    return drawn;
  }

 private:
  std::array<double, order.size()> strength_{};
};

void check(const std::vector<double>& strengths) {
  if (std::all_of(strengths.begin(), strengths.end(), [](double s) { return s == 0; })) {
    raise(Fault::usage, "color-jitter has no strengths; try: --color-jitter 0.4,0.4,0.4,0.1");
  }
  if (strengths.size() > order.size()) {
    raise(Fault::usage,
          "{} values for color-jitter; try: at most four: brightness, contrast, saturation, hue",
          strengths.size());
  }
  if (strengths.size() == order.size() && strengths.back() > most_hue) {
    raise(Fault::usage, "a hue of {} for color-jitter; try: at most {}", strengths.back(),
          most_hue);
  }
}

}  // namespace

AugmentDef color_jitter_augment() {
  return {
      .name = own_name,
      .help = "brightness, contrast, saturation and hue by random factors, --color-jitter",
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        check(options.color_jitter);
        return std::make_unique<ColorJitter>(options, image);
      },
  };
}

}  // namespace convoy
