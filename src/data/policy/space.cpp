#include "data/policy/space.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace convoy::policy {
namespace {

// torch.linspace, computed from both ends with one rounding per value, as on machines with AVX2.
// One more rounding moves 15.999999 pixels to 16, and policies truncate.
double evenly(double first, double last, int bin, int bins) {
  const auto from = static_cast<float>(first), to = static_cast<float>(last);
  const float step = (to - from) / static_cast<float>(bins - 1);
  return bin < bins / 2 ? std::fma(step, static_cast<float>(bin), from)
                        : std::fma(-step, static_cast<float>(bins - 1 - bin), to);
}

// The number of bits: the higher the bin, the fewer.
double bits(double first, double last, int bin, int bins) {
  const auto divisor = static_cast<float>((bins - 1) / (first - last));
  return first - std::nearbyint(static_cast<float>(bin) / divisor);
}

// The values in which the spaces differ.
struct Most {
  double shear, translate_x, translate_y, rotate, enhance, bits_first, bits_last;
};

std::vector<EffectRange> ranges_of(const Most& most) {
  return {
      {Effect::shear_x, 0, most.shear, true},
      {Effect::shear_y, 0, most.shear, true},
      {Effect::translate_x, 0, most.translate_x, true},
      {Effect::translate_y, 0, most.translate_y, true},
      {Effect::rotate, 0, most.rotate, true},
      {Effect::brightness, 0, most.enhance, true},
      {Effect::colour, 0, most.enhance, true},
      {Effect::contrast, 0, most.enhance, true},
      {Effect::sharpness, 0, most.enhance, true},
      {Effect::posterize, most.bits_first, most.bits_last},
      {Effect::solarize, 255, 0},
      {Effect::autocontrast},
      {Effect::equalize},
  };
}

std::vector<EffectRange> ranges_with(Effect extra, const Most& most) {
  std::vector<EffectRange> ranges = ranges_of(most);
  ranges.push_back({extra});
  return ranges;
}

// AutoAugment was developed on images of 331 pixels.
Most usual(const Shape& image) {
  const auto translate = [](int64_t size) { return 150.0 / 331.0 * static_cast<double>(size); };
  return {0.3, translate(image[2]), translate(image[1]), 30, 0.9, 8, 4};
}

constexpr int auto_bins = 10, rand_bins = 31;

}  // namespace

EffectSpace::EffectSpace(std::vector<EffectRange> ranges, int bins)
    : ranges_(std::move(ranges)), bins_(bins) {}

EffectStep EffectSpace::step(const EffectRange& range, int bin, bool negative) const {
  const bool is_bits = range.effect == Effect::posterize;
  double magnitude = is_bits ? bits(range.first, range.last, bin, bins_)
                             : evenly(range.first, range.last, bin, bins_);
  if (range.has_sign && negative) magnitude = -magnitude;
  const bool is_factor = range.effect >= Effect::brightness && range.effect <= Effect::sharpness;
  return {range.effect, is_factor ? 1.0 + magnitude : magnitude};
}

EffectStep EffectSpace::step(Effect effect, int bin, bool negative) const {
  const auto is_it = [&](const EffectRange& range) { return range.effect == effect; };
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), is_it);
  expect(found != ranges_.end(), "an effect that the policy does not have");
  return step(*found, bin, negative);
}

EffectStep EffectSpace::draw(int bin, Random& random) const {
  const EffectRange& range = ranges_[random.below(static_cast<uint32_t>(ranges_.size()))];
  return step(range, bin, random.below(2) == 1);
}

EffectSpace auto_augment_space(const Shape& image) {
  return {ranges_with(Effect::invert, usual(image)), auto_bins};
}

EffectSpace rand_augment_space(const Shape& image) {
  return {ranges_with(Effect::identity, usual(image)), rand_bins};
}

EffectSpace trivial_augment_space() {
  return {ranges_with(Effect::identity, {0.99, 32, 32, 135, 0.99, 8, 2}), rand_bins};
}

EffectSpace augmix_space(const Shape& image) {
  const auto third = [](int64_t size) { return static_cast<double>(size) / 3; };
  return {ranges_of({0.3, third(image[2]), third(image[1]), 30, 0.9, 4, 0}), auto_bins};
}

}  // namespace convoy::policy
