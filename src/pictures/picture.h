// Reads JPEG, PNG, BMP, TIFF and WebP files: facts from the header, and all or some pixels. The
// content decides the format, not the name. A file is never trusted: any content gives pixels or
// Fault::data.
#pragma once

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
  int bits = 8;              // of a component; 16 bits become 8 by v / 257, rounded
  bool progressive = false;  // JPEG: several passes; PNG: interlaced
  bool cmyk = false;
  bool palette = false;  // its one component is an index of a colour
  int orientation = 1;   // EXIF's: 1 is upright, 6 must be turned to the right
};

// Columns [x, x + width) of rows [y, y + height).
struct PixelRect {
  int64_t x = 0, y = 0, width = 0, height = 0;
  bool operator==(const PixelRect&) const = default;
};

// Pixels of four bytes: red, green, blue and an unused one.
struct Pixels {
  PixelRect region;  // of the picture; includes at least the requested region
  std::vector<uint8_t> bytes;

  // The pixel at column x of row y of the picture; both inside the region.
  const uint8_t* at(int64_t x, int64_t y) const {
    return bytes.data() + ((y - region.y) * region.width + x - region.x) * 4;
  }
};

enum class DecodeSpeed {
  exact,  // the same pixels as libjpeg's most accurate decoding of the whole picture
  fast,   // reduced size by leaving out frequencies, plain upsampling, a coarser transform
};
constexpr auto words_of(DecodeSpeed) { return words<DecodeSpeed>("exact", "fast"); }

// Decodes one picture after another and reuses its memory. One thread at a time.
class PictureDecoder {
 public:
  PictureDecoder();
  ~PictureDecoder();
  PictureDecoder(PictureDecoder&&) noexcept;

  // Starts a picture: reads its header. The bytes must stay valid until its last decode. `origin`
  // is for errors. Bytes of no supported format are Fault::data.
  PictureInfo open(std::string_view bytes, std::string origin);

  // Decodes the pixels of `region`, which is inside the picture; once per open. Missing or damaged
  // data where pixels are needed is Fault::data. With DecodeSpeed::fast the picture is decoded at 1
  // / shrink of its size, and region and result are in pixels of that size: ceil(width / shrink)
  // times ceil(height / shrink). shrink is 1, 2, 4 or 8; for formats other than JPEG it is 1, and
  // the result is the whole picture.
  void decode(const PixelRect& region, DecodeSpeed speed, int shrink, Pixels& pixels);

  // Warnings of the decoder that did not prevent decoding, and a note if a TIFF file has more than
  // one page. `check` prints them.
  const std::vector<std::string>& remarks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All pixels; `upright`: turned by their EXIF orientation.
Pixels decode_picture(std::string_view bytes, const std::string& origin, bool upright);

// Whether the bytes begin like a file of one of the formats.
bool looks_like_picture(std::string_view bytes);

// Encodes the pixels as a JPEG file, 4:4:4.
std::string encode_jpeg(const Pixels& pixels, int quality);

}  // namespace convoy
