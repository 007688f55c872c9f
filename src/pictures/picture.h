// Pictures as pixels: what a JPEG, PNG, BMP, TIFF or WebP file says about itself, and its pixels or
// a part of them. The content decides which of them it is, not the name. Nothing in a file is
// trusted: whatever it holds ends in pixels or in a Fault::data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"

namespace convoy {

enum class PictureFormat { jpeg, png, bmp, tiff, webp };

std::string_view name(PictureFormat format);  // "JPEG"

struct PictureInfo {
  PictureFormat format = PictureFormat::jpeg;
  int64_t width = 0, height = 0;
  int components = 3;        // as stored: 1 grey, 3 colour, 4 CMYK; with alpha: 2, 4
  int bits = 8;              // of a component; 16 become 8 by v / 257, rounded
  bool progressive = false;  // JPEG: several passes; PNG: interlaced
  bool cmyk = false;
  bool palette = false;  // its one component is the number of a colour
  int orientation = 1;   // EXIF's: 1 is upright, 6 must be turned to the right
};

// Columns [x, x + width) of rows [y, y + height).
struct PixelRect {
  int64_t x = 0, y = 0, width = 0, height = 0;
  bool operator==(const PixelRect&) const = default;
};

// Pixels of four bytes: red, green, blue and one that means nothing.
struct Pixels {
  PixelRect region;  // of the picture; holds at least what was asked for
  std::vector<uint8_t> bytes;

  // The pixel at column x of row y of the picture; both inside the region.
  const uint8_t* at(int64_t x, int64_t y) const {
    return bytes.data() + ((y - region.y) * region.width + x - region.x) * 4;
  }
};

enum class DecodeSpeed {
  exact,  // the same pixels as decoding the whole picture by libjpeg's most accurate way
  fast,   // smaller pictures by leaving out frequencies, plain upsampling, a coarser transform
};
constexpr std::array<Word<DecodeSpeed>, 2> words_of(DecodeSpeed) {
  return {{{"exact", DecodeSpeed::exact}, {"fast", DecodeSpeed::fast}}};
}

// Decodes one picture after another and keeps its memory. One thread at a time.
class PictureDecoder {
 public:
  PictureDecoder();
  ~PictureDecoder();
  PictureDecoder(PictureDecoder&&) noexcept;

  // Begins with a picture: reads its header. The bytes must stay until the last decode of it.
  // `origin` is for errors. Anything that is no picture of these formats is Fault::data.
  PictureInfo open(std::string_view bytes, std::string origin);

  // The pixels of `region`, which lies inside the picture; once per open. A picture that is cut
  // off or damaged where its pixels are needed is Fault::data.
  // With DecodeSpeed::fast the picture is decoded at 1 / shrink of its size, and region and result
  // are in pixels of that size: ceil(width / shrink) times ceil(height / shrink). shrink is 1, 2, 4
  // or 8, and 1 for all but JPEG. Of these the result is the whole picture.
  void decode(const PixelRect& region, DecodeSpeed speed, int shrink, Pixels& pixels);

  // Complaints of the decoder about the file that did not keep it from decoding, and that a TIFF
  // file has more pages than the first: what `check` tells.
  const std::vector<std::string>& remarks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All pixels, turned upright when `upright`.
Pixels decode_picture(std::string_view bytes, const std::string& origin, bool upright);

// Whether the bytes begin as a file of one of the formats does.
bool looks_like_picture(std::string_view bytes);

// A JPEG file of these pixels, 4:4:4.
std::string encode_jpeg(const Pixels& pixels, int quality);

}  // namespace convoy
