// Effects between the image and a poorer one, as Pillow's ImageEnhance has them: factor 0 is black,
// even grey, without colour, or smooth; 1 the image itself; above 1 the other way. And hue.
#pragma once

#include "data/policy/planes.h"

namespace convoy::policy {

void enhance_brightness(const Planes& image, double factor);
void enhance_contrast(const Planes& image, double factor);
// Grey images have no colour to change: this and hue leave them as they are.
void enhance_colour(const Planes& image, double factor);
// `smooth` has room for a plane.
void enhance_sharpness(const Planes& image, double factor, uint8_t* smooth);

// Turns the circle of hues; 1 is a full turn.
void shift_hue(const Planes& image, double turn);

}  // namespace convoy::policy
