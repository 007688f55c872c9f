// Limits on pictures: far above the sizes that networks are trained on, but a file of a few bytes
// cannot make us allocate gigabytes.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace convoy {

constexpr int64_t most_pixels = 200'000'000;
constexpr int64_t longest_side = 65535;
constexpr size_t behind_pixels = 64;  // readable bytes behind decoded ones, for the kernels

// The most pixels per byte of a valid file. A block of 8x8 has at least one bit, unless arithmetic
// coding joins blocks; then only a picture of one colour can exceed this limit.
constexpr int64_t most_jpeg_pixels(bool arithmetic) { return arithmetic ? 8192 : 512; }
// Deflate expands one byte to at most 1032 bytes, each with up to eight pixels.
constexpr int64_t most_png_pixels = 8 * 1032;
// LZW, the strongest of the codings we read, expands one byte to at most 1365.
constexpr int64_t most_tiff_pixels = 8 * 1365;
// A macroblock of 16x16 has more than 1.5 bits.
constexpr int64_t most_webp_pixels = 2048;
// A lossless picture of one colour takes no bits at all: 16 million pixels are always accepted.
constexpr size_t lossless_webp_bytes = 8192;

inline void check_picture_size(int64_t width, int64_t height, size_t bytes, int64_t most_per_byte,
                               const std::string& origin) {
  if (width < 1 || height < 1) {
    raise(Fault::data, "{}: {}x{} pixels are no picture", origin, width, height);
  }
  const bool is_long = width > longest_side || height > longest_side;
  const int64_t pixels = is_long ? 0 : width * height;
  if (is_long || pixels > most_pixels) {
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
