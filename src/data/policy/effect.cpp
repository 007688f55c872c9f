#include "data/policy/effect.h"

#include "data/policy/enhance.h"
#include "data/policy/tables.h"
#include "kernels/pictures/sample_bytes.h"

namespace convoy::policy {

int64_t effect_scratch(int64_t image_bytes) { return image_bytes + kernels::SampledPicture::spare; }

void apply(const EffectStep& step, const Planes& image, Sampling sampling, uint8_t* scratch) {
  const double amount = step.amount;
  const auto move = [&](const Matrix& matrix) { transform(image, matrix, sampling, scratch); };
  switch (step.effect) {
    case Effect::identity:
      return;
    case Effect::shear_x:
      return move(shear_x(amount));
    case Effect::shear_y:
      return move(shear_y(amount));
    case Effect::translate_x:
      return move(translation(static_cast<int64_t>(amount), 0));
    case Effect::translate_y:
      return move(translation(0, static_cast<int64_t>(amount)));
    case Effect::rotate:
      return move(rotation(amount, image.h, image.w));
    case Effect::brightness:
      return enhance_brightness(image, amount);
    case Effect::colour:
      return enhance_colour(image, amount);
    case Effect::contrast:
      return enhance_contrast(image, amount);
    case Effect::sharpness:
      return enhance_sharpness(image, amount, scratch);
    case Effect::posterize:
      return look_up(image, posterized(static_cast<int>(amount)));
    case Effect::solarize:
      return look_up(image, solarized(amount));
    case Effect::autocontrast:
      return autocontrast(image);
    case Effect::equalize:
      return equalize(image);
    case Effect::invert:
      return look_up(image, inverted());
    case Effect::hue:
      return shift_hue(image, amount);
  }
}

}  // namespace convoy::policy
