#include "data/policy/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "kernels/pictures/sample_bytes.h"

namespace convoy::policy {
namespace {

constexpr double pi = 3.14159265358979323846;

// torchvision converts the slope to an angle in degrees and back.
double through_degrees(double slope) { return std::atan(slope) * (180 / pi) * (pi / 180); }

// Python's round(x, 15), which is exact: the nearest decimal.
double to_15_places(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.15f", x);
  return std::strtod(text.data(), nullptr);
}

// Pillow moves from pixel to pixel in multiples of 1 / 65536.
int64_t fixed(double x) { return static_cast<int64_t>(std::floor(x * 65536 + 0.5)); }

void nearest(const Planes& image, const Matrix& m, const uint8_t* before) {
  const int64_t step_x = fixed(m[0]), row_x = fixed(m[1]);
  const int64_t step_y = fixed(m[3]), row_y = fixed(m[4]);
  int64_t first_x = fixed(m[2] + m[0] * 0.5 + m[1] * 0.5);
  int64_t first_y = fixed(m[5] + m[3] * 0.5 + m[4] * 0.5);
  const int64_t area = image.area();
  for (int64_t y = 0; y < image.h; ++y, first_x += row_x, first_y += row_y) {
    uint8_t* out = image.pixels + y * image.w;
    int64_t at_x = first_x, at_y = first_y;
    for (int64_t x = 0; x < image.w; ++x, at_x += step_x, at_y += step_y) {
      const int64_t from_x = at_x >> 16, from_y = at_y >> 16;
      const bool inside = from_x >= 0 && from_x < image.w && from_y >= 0 && from_y < image.h;
      const uint8_t* from = before + from_y * image.w + from_x;
      for (int64_t c = 0; c < image.channels; ++c) {
        out[c * area + x] = inside ? from[c * area] : uint8_t{0};
      }
    }
  }
}

void bilinear(const Planes& image, const Matrix& m, const uint8_t* before) {
  const kernels::SampledPicture from{before, image.channels, image.h, image.w};
  for (int64_t y = 0; y < image.h; ++y) {
    kernels::sample_bilinear(from, m.data(), y, image.pixels + y * image.w);
  }
}

}  // namespace

Matrix shear_x(double slope) { return {1, std::tan(through_degrees(slope)), 0, 0, 1, 0}; }

Matrix shear_y(double slope) {
  const double angle = through_degrees(slope);
  return {1, 0, 0, std::sin(angle) / std::cos(angle), 1, 0};
}

Matrix translation(int64_t dx, int64_t dy) {
  return {1, 0, static_cast<double>(-dx), 0, 1, static_cast<double>(-dy)};
}

Matrix rotation(double degrees, int64_t h, int64_t w) {
  double turn = std::fmod(degrees, 360);
  if (turn < 0) turn += 360;
  const double angle = -(turn * (pi / 180));
  const double cosine = to_15_places(std::cos(angle)), sine = to_15_places(std::sin(angle));
  const double x = static_cast<double>(w) / 2, y = static_cast<double>(h) / 2;
  return {cosine, sine, cosine * -x + sine * -y + x, -sine, cosine, -sine * -x + cosine * -y + y};
}

void transform(const Planes& image, const Matrix& matrix, Sampling sampling, uint8_t* before) {
  std::copy_n(image.pixels, image.count(), before);
  sampling == Sampling::nearest ? nearest(image, matrix, before) : bilinear(image, matrix, before);
}

}  // namespace convoy::policy
