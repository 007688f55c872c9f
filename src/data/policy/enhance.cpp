#include "data/policy/enhance.h"

#include <algorithm>
#include <cmath>

#include "data/policy/tables.h"

namespace convoy::policy {
namespace {

// In single precision, cut off: Pillow's blend.
uint8_t blend(int poorer, int value, float factor) {
  const float mixed = static_cast<float>(poorer) + factor * static_cast<float>(value - poorer);
  return mixed <= 0 ? uint8_t{0} : mixed >= 255 ? uint8_t{255} : static_cast<uint8_t>(mixed);
}

void blend_with(const Planes& image, int poorer, double factor) {
  ByteTable table{};
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = blend(poorer, static_cast<int>(i), static_cast<float>(factor));
  }
  look_up(image, table);
}

// The mean of the brightness, halves upwards.
int mean_brightness(const Planes& image) {
  int64_t sum = 0;
  if (image.has_colour()) {
    const auto [red, green, blue] = image.rgb();
    for (int64_t i = 0; i < image.area(); ++i) sum += brightness_of(red[i], green[i], blue[i]);
  } else {
    for (int64_t i = 0; i < image.area(); ++i) sum += image.pixels[i];
  }
  return static_cast<int>(static_cast<double>(sum) / static_cast<double>(image.area()) + 0.5);
}

// Each pixel with its eight neighbours, itself five times; pixels at the edge stay as they are. No
// sum of thirteenths lies on a half, so whole numbers round as Pillow's floats do.
void smoothed(const uint8_t* plane, int64_t h, int64_t w, uint8_t* out) {
  std::copy_n(plane, h * w, out);
  for (int64_t y = 1; y + 1 < h; ++y) {
    const uint8_t* row = plane + y * w;
    for (int64_t x = 1; x + 1 < w; ++x) {
      int sum = 4 * row[x];
      for (const uint8_t* near : {row - w, row, row + w})
        sum += near[x - 1] + near[x] + near[x + 1];
      out[y * w + x] = static_cast<uint8_t>((2 * sum + 13) / 26);
    }
  }
}

struct Hsv {
  int hue, saturation, value;
};

// Both ways round as Pillow converts, single and double precision where it has them.
Hsv to_hsv(int red, int green, int blue) {
  const int most = std::max({red, green, blue}), least = std::min({red, green, blue});
  if (most == least) return {0, 0, most};
  const auto range = static_cast<float>(most - least);
  const auto part = [&](int value) { return static_cast<float>(most - value) / range; };
  const float r = part(red), g = part(green), b = part(blue);
  float hue = 0;
  if (red == most) {
    hue = b - g;
  } else if (green == most) {
    hue = static_cast<float>(2.0 + static_cast<double>(r) - static_cast<double>(b));
  } else {
    hue = static_cast<float>(4.0 + static_cast<double>(g) - static_cast<double>(r));
  }
  hue = static_cast<float>(std::fmod(static_cast<double>(hue) / 6.0 + 1.0, 1.0));
  const float saturation = range / static_cast<float>(most);
  const auto byte = [](float x) { return static_cast<int>(static_cast<double>(x) * 255.0); };
  return {std::clamp(byte(hue), 0, 255), std::clamp(byte(saturation), 0, 255), most};
}

std::array<uint8_t, 3> to_rgb(const Hsv& colour) {
  const auto v = static_cast<uint8_t>(colour.value);
  if (colour.saturation == 0) return {v, v, v};
  const double sixths = static_cast<double>(colour.hue) * 6.0 / 255.0;
  const int sector = static_cast<int>(sixths);
  const auto rest = static_cast<double>(static_cast<float>(sixths - sector));
  const auto s = static_cast<double>(static_cast<float>(colour.saturation / 255.0));
  const auto times = [&](double x) {
    return static_cast<uint8_t>(std::clamp(std::round(colour.value * x), 0.0, 255.0));
  };
  const uint8_t p = times(1.0 - s), q = times(1.0 - s * rest), t = times(1.0 - s * (1.0 - rest));
  switch (sector % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

}  // namespace

void enhance_brightness(const Planes& image, double factor) { blend_with(image, 0, factor); }

void enhance_contrast(const Planes& image, double factor) {
  blend_with(image, mean_brightness(image), factor);
}

void enhance_colour(const Planes& image, double factor) {
  if (!image.has_colour()) return;
  const auto [red, green, blue] = image.rgb();
  const auto single = static_cast<float>(factor);
  for (int64_t i = 0; i < image.area(); ++i) {
    const int grey = brightness_of(red[i], green[i], blue[i]);
    for (uint8_t* plane : {red, green, blue}) plane[i] = blend(grey, plane[i], single);
  }
}

void enhance_sharpness(const Planes& image, double factor, uint8_t* smooth) {
  const auto single = static_cast<float>(factor);
  for (int64_t c = 0; c < image.channels; ++c) {
    uint8_t* plane = image.plane(c);
    smoothed(plane, image.h, image.w, smooth);
    for (int64_t i = 0; i < image.area(); ++i) plane[i] = blend(smooth[i], plane[i], single);
  }
}

void shift_hue(const Planes& image, double turn) {
  if (!image.has_colour()) return;
  const auto [red, green, blue] = image.rgb();
  const int shift = static_cast<int>(turn * 255);
  for (int64_t i = 0; i < image.area(); ++i) {
    Hsv colour = to_hsv(red[i], green[i], blue[i]);
    colour.hue = (colour.hue + shift) & 255;
    const auto [r, g, b] = to_rgb(colour);
    red[i] = r;
    green[i] = g;
    blue[i] = b;
  }
}

}  // namespace convoy::policy
