// Changes brightness, contrast, saturation and hue by random factors, in random order:
// torchvision's ColorJitter, with Pillow's rounding.
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

struct Options {
  std::vector<double> strengths;

  void describe(Fields& field) {
    field("color-jitter", strengths,
          "strengths of brightness, contrast, saturation and hue that color-jitter draws from; "
          "left out: 0; adds color-jitter to augment where it is not listed",
          between(0, 100), {"colour-jitter"});
  }
};

std::vector<double> strengths_of(const OptionTexts& own) { return own.read<Options>().strengths; }

bool any(const std::vector<double>& strengths) {
  return std::ranges::any_of(strengths, [](double s) { return s > 0; });
}

class ColorJitter final : public policy::PolicyAugment {
 public:
  ColorJitter(const AugmentOptions& options, const Shape& image)
      : PolicyAugment(own_name, options, image) {
    std::ranges::copy(strengths_of(options.own), strength_.begin());
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
  if (!any(strengths)) {
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
      .describe = describe_options<Options>,
      .asked = [](const OptionTexts& own) { return any(strengths_of(own)); },
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        check(strengths_of(options.own));
        return std::make_unique<ColorJitter>(options, image);
      },
  };
}

}  // namespace convoy
