#include "data/policy/policy_augment.h"

#include "base/error.h"

namespace convoy::policy {

void check_channels(std::string_view name, const Shape& image) {
  if (image[0] == 1 || image[0] == 3) return;
  raise(Fault::usage, "{} knows grey and coloured images, and these have {} channels; try: without",
        name, image[0]);
}

Planes planes_of(uint8_t* pixels, const Shape& image, bool bgr) {
  return {pixels, image[0], image[1], image[2], bgr};
}

void PolicyOptions::describe(Fields& field) {
  field("policy-interpolation", sampling,
        "how policies shear, move and rotate; torchvision's training script has them follow its "
        "--interpolation");
}

PolicyAugment::PolicyAugment(std::string_view name, const AugmentOptions& options,
                             const Shape& image)
    : sampling_(options.own.read<PolicyOptions>().sampling), bgr_(options.bgr) {
  check_channels(name, image);
}

void PolicyAugment::apply_bytes(uint8_t* pixels, const Shape& image, std::byte* scratch,
                                Random random) const {
  const DrawnEffects drawn = draw(random);
  const Planes planes = planes_of(pixels, image, bgr_);
  for (size_t i = 0; i < drawn.count; ++i) {
    policy::apply(drawn.steps[i], planes, sampling_, reinterpret_cast<uint8_t*>(scratch));
  }
}

}  // namespace convoy::policy
