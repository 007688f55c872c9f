// Effects that move the pixels of an image, with Pillow's rounding: shear, translation, rotation.
// What comes from outside the image is black.
#pragma once

#include <array>

#include "base/text/words.h"
#include "data/policy/planes.h"

namespace convoy::policy {

// Where a pixel comes from: the point (x, y), the middle of a pixel having halves, comes from
// (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]).
using Matrix = std::array<double, 6>;

// By `slope` pixels a row, or a column; from the upper left corner.
Matrix shear_x(double slope);
Matrix shear_y(double slope);
// To the right, and down.
Matrix translation(int64_t dx, int64_t dy);
// About the middle of the image, against the clock.
Matrix rotation(double degrees, int64_t h, int64_t w);

enum class Sampling : uint8_t { nearest, bilinear };
constexpr std::array<Word<Sampling>, 2> words_of(Sampling) {
  return {{{"nearest", Sampling::nearest}, {"bilinear", Sampling::bilinear}}};
}

// `before` has room for the image and for kernels::SampledPicture::spare bytes more.
void transform(const Planes& image, const Matrix& matrix, Sampling sampling, uint8_t* before);

}  // namespace convoy::policy
