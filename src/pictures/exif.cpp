#include "pictures/exif.h"

namespace convoy {
namespace {

// Reads numbers of either byte order; 0 beyond the end.
struct Tiff {
  std::string_view bytes;
  bool big;

  uint32_t number(size_t at, size_t size) const {
    if (at + size > bytes.size() || at + size < at) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value = value << 8 | static_cast<uint8_t>(bytes[at + (big ? i : size - 1 - i)]);
    }
    return value;
  }
};

}  // namespace

int exif_orientation(std::string_view tiff) {
  if (!tiff.starts_with("II") && !tiff.starts_with("MM")) return 1;
  const Tiff file{tiff, tiff[0] == 'M'};
  constexpr uint32_t orientation = 0x0112, entry_bytes = 12;
  const size_t directory = file.number(4, 4);
  const uint32_t entries = file.number(directory, 2);
  for (uint32_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + size_t{i} * entry_bytes;
    if (entry + entry_bytes > tiff.size()) return 1;
    if (file.number(entry, 2) != orientation) continue;
    constexpr uint32_t type_long = 4;  // most programs write a short
    const uint32_t value = file.number(entry + 8, file.number(entry + 2, 2) == type_long ? 4 : 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

void turn_upright(Pixels& pixels, int orientation) {
  if (orientation <= 1) return;
  const int64_t w = pixels.region.width, h = pixels.region.height;
  const bool lies = orientation >= 5;  // rows become columns
  const int64_t out_w = lies ? h : w, out_h = lies ? w : h;
  std::vector<uint8_t> turned(pixels.bytes.size());
  for (int64_t y = 0; y < out_h; ++y) {
    for (int64_t x = 0; x < out_w; ++x) {
      // The stored position of pixel (x, y) of the upright picture.
      int64_t from_x = lies ? y : x, from_y = lies ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) {
        from_x = w - 1 - from_x;
      }
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7) {
        from_y = h - 1 - from_y;
      }
      for (int64_t c = 0; c < 4; ++c) {
        turned[static_cast<size_t>((y * out_w + x) * 4 + c)] =
            pixels.bytes[static_cast<size_t>((from_y * w + from_x) * 4 + c)];
      }
    }
  }
  pixels.bytes = std::move(turned);
  pixels.region = {pixels.region.x, pixels.region.y, out_w, out_h};
}

}  // namespace convoy
