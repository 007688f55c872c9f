// AutoAugment's table for CIFAR-10: effect, probability and bin of the two effects of each row.
#include "data/policy/auto_augment.h"

namespace convoy {
namespace {

using policy::Effect;

constexpr std::string_view own_name = "auto-augment-cifar10";

constexpr policy::AutoRow rows[] = {
    {{Effect::invert, 0.1}, {Effect::contrast, 0.2, 6}},
    {{Effect::rotate, 0.7, 2}, {Effect::translate_x, 0.3, 9}},
    {{Effect::sharpness, 0.8, 1}, {Effect::sharpness, 0.9, 3}},
    {{Effect::shear_y, 0.5, 8}, {Effect::translate_y, 0.7, 9}},
    {{Effect::autocontrast, 0.5}, {Effect::equalize, 0.9}},
    {{Effect::shear_y, 0.2, 7}, {Effect::posterize, 0.3, 7}},
    {{Effect::colour, 0.4, 3}, {Effect::brightness, 0.6, 7}},
    {{Effect::sharpness, 0.3, 9}, {Effect::brightness, 0.7, 9}},
    {{Effect::equalize, 0.6}, {Effect::equalize, 0.5}},
    {{Effect::contrast, 0.6, 7}, {Effect::sharpness, 0.6, 5}},
    {{Effect::colour, 0.7, 7}, {Effect::translate_x, 0.5, 8}},
    {{Effect::equalize, 0.3}, {Effect::autocontrast, 0.4}},
    {{Effect::translate_y, 0.4, 3}, {Effect::sharpness, 0.2, 6}},
    {{Effect::brightness, 0.9, 6}, {Effect::colour, 0.2, 8}},
    {{Effect::solarize, 0.5, 2}, {Effect::invert, 0}},
    {{Effect::equalize, 0.2}, {Effect::autocontrast, 0.6}},
    {{Effect::equalize, 0.2}, {Effect::equalize, 0.6}},
    {{Effect::colour, 0.9, 9}, {Effect::equalize, 0.6}},
    {{Effect::autocontrast, 0.8}, {Effect::solarize, 0.2, 8}},
    {{Effect::brightness, 0.1, 3}, {Effect::colour, 0.7, 0}},
    {{Effect::solarize, 0.4, 5}, {Effect::autocontrast, 0.9}},
    {{Effect::translate_y, 0.9, 9}, {Effect::translate_y, 0.7, 9}},
    {{Effect::autocontrast, 0.9}, {Effect::solarize, 0.8, 3}},
    {{Effect::equalize, 0.8}, {Effect::invert, 0.1}},
    {{Effect::translate_y, 0.7, 9}, {Effect::autocontrast, 0.9}},
};

}  // namespace

AugmentDef auto_augment_cifar10_augment() {
  return {
      .name = own_name,
      .help = "policy: AutoAugment as found on CIFAR-10",
      .policy = "cifar10",
      .describe = describe_options<policy::PolicyOptions>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return policy::make_auto_augment(own_name, rows, options, image);
      },
  };
}

}  // namespace convoy
