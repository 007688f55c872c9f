// What a picture may ask for: nobody trains on larger ones, and a few bytes must not take
// gigabytes.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace convoy {

constexpr int64_t most_pixels = 200'000'000;

// How many pixels a byte of a sound file can hold. A block of 8x8 has at least a bit, unless
// arithmetic coding joins blocks: then only a picture of one colour would have more.
constexpr int64_t most_jpeg_pixels(bool arithmetic) { return arithmetic ? 8192 : 512; }
// Deflate gives at most 1032 bytes for one, each of up to eight pixels.
constexpr int64_t most_png_pixels = 8 * 1032;

inline void check_picture_size(int64_t width, int64_t height, size_t bytes, int64_t most_per_byte,
                               const std::string& origin) {
  const int64_t pixels = width * height;
  if (pixels > most_pixels) {
    raise(Fault::data, "{}: {}x{} are more pixels than the {} that a picture may have", origin,
          width, height, most_pixels);
  }
  constexpr int64_t headers = 4096;
  if (pixels > static_cast<int64_t>(bytes) * most_per_byte + headers) {
    raise(Fault::data, "{}: {} bytes cannot hold {}x{} pixels; try: a whole copy of the file",
          origin, bytes, width, height);
  }
}

}  // namespace convoy
