#include "data/policy/enhance.h"

#include <algorithm>
#include <numeric>

#include "data/policy/tables.h"
#include "kernels/pictures/blend_bytes.h"
#include "kernels/pictures/turn_hues.h"

namespace convoy::policy {
namespace {

void blend_with(const Planes& image, int poorer, double factor) {
  ByteTable table{}, even{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<uint8_t>(i);
  even.fill(static_cast<uint8_t>(poorer));
  kernels::blend_bytes(even.data(), even.size(), static_cast<float>(factor), table.data());
  look_up(image, table);
}

// Calls use(first, greys, n) for pieces of the image, with the luminance of their pixels.
template <class Use>
void for_greys(const Planes& image, Use use) {
  std::array<uint8_t, 1024> greys;
  const auto [red, green, blue] = image.rgb();
  const auto most = static_cast<int64_t>(greys.size());
  for (int64_t first = 0; first < image.area(); first += most) {
    const int64_t n = std::min(most, image.area() - first);
    kernels::brightness_bytes(red + first, green + first, blue + first, n, greys.data());
    use(first, greys.data(), n);
  }
}

// The mean luminance, halves rounded up.
int mean_brightness(const Planes& image) {
  int64_t sum = 0;
  if (image.has_colour()) {
    for_greys(image, [&](int64_t, const uint8_t* grey, int64_t n) {
      sum = std::accumulate(grey, grey + n, sum);
    });
  } else {
    sum = std::accumulate(image.pixels, image.pixels + image.area(), sum);
  }
  return static_cast<int>(static_cast<double>(sum) / static_cast<double>(image.area()) + 0.5);
}

}  // namespace

void enhance_brightness(const Planes& image, double factor) { blend_with(image, 0, factor); }

void enhance_contrast(const Planes& image, double factor) {
  blend_with(image, mean_brightness(image), factor);
}

void enhance_colour(const Planes& image, double factor) {
  if (!image.has_colour()) return;
  for_greys(image, [&](int64_t first, const uint8_t* grey, int64_t n) {
    for (uint8_t* plane : image.rgb()) {
      kernels::blend_bytes(grey, n, static_cast<float>(factor), plane + first);
    }
  });
}

void enhance_sharpness(const Planes& image, double factor, uint8_t* smooth) {
  for (int64_t c = 0; c < image.channels; ++c) {
    kernels::smooth_bytes(image.plane(c), image.h, image.w, smooth);
    kernels::blend_bytes(smooth, image.area(), static_cast<float>(factor), image.plane(c));
  }
}

void shift_hue(const Planes& image, double turn) {
  if (!image.has_colour()) return;
  const auto [red, green, blue] = image.rgb();
  kernels::turn_hues(static_cast<int>(turn * 255), image.area(), red, green, blue);
}

}  // namespace convoy::policy
