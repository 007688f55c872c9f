// Effects that move pixels, with Pillow's rounding: shear, translation, rotation. Pixels from
// outside the image are black.
#pragma once

#include <array>

#include "base/text/words.h"
#include "data/policy/planes.h"

namespace convoy::policy {

// Maps the centre (x, y) of an output pixel (centres are at halves) to the source point (m[0] x +
// m[1] y + m[2], m[3] x + m[4] y + m[5]).
using Matrix = std::array<double, 6>;

// By `slope` pixels per row or column, from the upper left corner.
Matrix shear_x(double slope);
Matrix shear_y(double slope);
// To the right, and down.
Matrix translation(int64_t dx, int64_t dy);
// About the centre of the image, counter-clockwise.
Matrix rotation(double degrees, int64_t h, int64_t w);

enum class Sampling : uint8_t { nearest, bilinear };
constexpr auto words_of(Sampling) { return words<Sampling>("nearest", "bilinear"); }

// `before` is scratch for the image and kernels::SampledPicture::spare more bytes.
void transform(const Planes& image, const Matrix& matrix, Sampling sampling, uint8_t* before);

}  // namespace convoy::policy
