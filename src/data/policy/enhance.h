// Effects that blend an image with a degraded version, as Pillow's ImageEnhance does, and a hue
// shift. Factor 0 is the degraded version (black, uniform grey, without colour, or smoothed), 1 the
// image itself, above 1 the opposite effect.
#pragma once

#include "data/policy/planes.h"

namespace convoy::policy {

void enhance_brightness(const Planes& image, double factor);
void enhance_contrast(const Planes& image, double factor);
// Grey images have no colour: this and hue do not change them.
void enhance_colour(const Planes& image, double factor);
// `smooth` is scratch for one plane.
void enhance_sharpness(const Planes& image, double factor, uint8_t* smooth);

// Rotates the hue; 1 is a full turn.
void shift_hue(const Planes& image, double turn);

}  // namespace convoy::policy
