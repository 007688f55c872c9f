// AutoAugment's table for ImageNet: effect, probability and bin of the two effects of each row.
#include "data/policy/auto_augment.h"

namespace convoy {
namespace {

using policy::Effect;

constexpr std::string_view own_name = "auto-augment-imagenet";

constexpr policy::AutoRow rows[] = {
    {{Effect::posterize, 0.4, 8}, {Effect::rotate, 0.6, 9}},
    {{Effect::solarize, 0.6, 5}, {Effect::autocontrast, 0.6}},
    {{Effect::equalize, 0.8}, {Effect::equalize, 0.6}},
    {{Effect::posterize, 0.6, 7}, {Effect::posterize, 0.6, 6}},
    {{Effect::equalize, 0.4}, {Effect::solarize, 0.2, 4}},
    {{Effect::equalize, 0.4}, {Effect::rotate, 0.8, 8}},
    {{Effect::solarize, 0.6, 3}, {Effect::equalize, 0.6}},
    {{Effect::posterize, 0.8, 5}, {Effect::equalize, 1}},
    {{Effect::rotate, 0.2, 3}, {Effect::solarize, 0.6, 8}},
    {{Effect::equalize, 0.6}, {Effect::posterize, 0.4, 6}},
    {{Effect::rotate, 0.8, 8}, {Effect::colour, 0.4, 0}},
    {{Effect::rotate, 0.4, 9}, {Effect::equalize, 0.6}},
    {{Effect::equalize, 0}, {Effect::equalize, 0.8}},
    {{Effect::invert, 0.6}, {Effect::equalize, 1}},
    {{Effect::colour, 0.6, 4}, {Effect::contrast, 1, 8}},
    {{Effect::rotate, 0.8, 8}, {Effect::colour, 1, 2}},
    {{Effect::colour, 0.8, 8}, {Effect::solarize, 0.8, 7}},
    {{Effect::sharpness, 0.4, 7}, {Effect::invert, 0.6}},
    {{Effect::shear_x, 0.6, 5}, {Effect::equalize, 1}},
    {{Effect::colour, 0.4, 0}, {Effect::equalize, 0.6}},
    {{Effect::equalize, 0.4}, {Effect::solarize, 0.2, 4}},
    {{Effect::solarize, 0.6, 5}, {Effect::autocontrast, 0.6}},
    {{Effect::invert, 0.6}, {Effect::equalize, 1}},
    {{Effect::colour, 0.6, 4}, {Effect::contrast, 1, 8}},
    {{Effect::equalize, 0.8}, {Effect::equalize, 0.6}},
};

}  // namespace

AugmentDef auto_augment_imagenet_augment() {
  return {
      .name = own_name,
      .help = "policy: AutoAugment as found on ImageNet",
      .policy = "imagenet",
      .describe = describe_options<policy::PolicyOptions>,
      .make = [](const AugmentOptions& options, const Shape& image) -> std::unique_ptr<Augment> {
        return policy::make_auto_augment(own_name, rows, options, image);
      },
  };
}

}  // namespace convoy
