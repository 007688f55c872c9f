// AutoAugment's table for SVHN: effect, probability and bin of the two effects of each row.
#include "data/policy/auto_augment.h"

namespace convoy {
namespace {

using policy::Effect;

constexpr std::string_view own_name = "auto-augment-svhn";

constexpr policy::AutoRow rows[] = {
    {{Effect::shear_x, 0.9, 4}, {Effect::invert, 0.2}},
    {{Effect::shear_y, 0.9, 8}, {Effect::invert, 0.7}},
    {{Effect::equalize, 0.6}, {Effect::solarize, 0.6, 6}},
    {{Effect::invert, 0.9}, {Effect::equalize, 0.6}},
    {{Effect::equalize, 0.6}, {Effect::rotate, 0.9, 3}},
    {{Effect::shear_x, 0.9, 4}, {Effect::autocontrast, 0.8}},
    {{Effect::shear_y, 0.9, 8}, {Effect::invert, 0.4}},
    {{Effect::shear_y, 0.9, 5}, {Effect::solarize, 0.2, 6}},
    {{Effect::invert, 0.9}, {Effect::autocontrast, 0.8}},
    {{Effect::equalize, 0.6}, {Effect::rotate, 0.9, 3}},
    {{Effect::shear_x, 0.9, 4}, {Effect::solarize, 0.3, 3}},
    {{Effect::shear_y, 0.8, 8}, {Effect::invert, 0.7}},
    {{Effect::equalize, 0.9}, {Effect::translate_y, 0.6, 6}},
    {{Effect::invert, 0.9}, {Effect::equalize, 0.6}},
    {{Effect::contrast, 0.3, 3}, {Effect::rotate, 0.8, 4}},
    {{Effect::invert, 0.8}, {Effect::translate_y, 0, 2}},
    {{Effect::shear_y, 0.7, 6}, {Effect::solarize, 0.4, 8}},
    {{Effect::invert, 0.6}, {Effect::rotate, 0.8, 4}},
    {{Effect::shear_y, 0.3, 7}, {Effect::translate_x, 0.9, 3}},
    {{Effect::shear_x, 0.1, 6}, {Effect::invert, 0.6}},
    {{Effect::solarize, 0.7, 2}, {Effect::translate_y, 0.6, 7}},
    {{Effect::shear_y, 0.8, 4}, {Effect::invert, 0.8}},
    {{Effect::shear_x, 0.7, 9}, {Effect::translate_y, 0.8, 3}},
    {{Effect::shear_y, 0.8, 5}, {Effect::autocontrast, 0.7}},
    {{Effect::shear_x, 0.7, 2}, {Effect::invert, 0.1}},
};

}  // namespace

AugmentDef auto_augment_svhn_augment() {
  return {
      .name = own_name,
      .help = "policy: AutoAugment as found on SVHN",
      .policy = "svhn",
      .describe = describe_options<policy::PolicyOptions>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return policy::make_auto_augment(own_name, rows, options, image);
      },
  };
}

}  // namespace convoy
