#include "pictures/picture.h"

#include "base/error.h"
#include "pictures/exif.h"
#include "pictures/jpeg.h"
#include "pictures/png.h"

namespace convoy {

namespace {

// What people have beside pictures that we read; empty: who knows.
std::string_view other_format(std::string_view bytes) {
  struct Format {
    size_t at;
    std::string_view begins, name;
  };
  for (const Format& format :
       {Format{0, "GIF8", "a GIF file"}, Format{0, "BM", "a BMP file"},
        Format{8, "WEBP", "a WebP file"}, Format{0, {"II*\0", 4}, "a TIFF file"},
        Format{0, {"MM\0*", 4}, "a TIFF file"}, Format{4, "ftyp", "a HEIF or AVIF file"},
        Format{0, "P6", "a PPM file"}, Format{0, "<", "a web page"}}) {
    if (bytes.size() > format.at && bytes.substr(format.at).starts_with(format.begins)) {
      return format.name;
    }
  }
  return {};
}

}  // namespace

struct PictureDecoder::State {
  JpegDecoder jpeg;
  PictureInfo info;
  std::string_view bytes;
  std::string origin;
  std::vector<std::string> png_remarks;
};

PictureDecoder::PictureDecoder() : state_(std::make_unique<State>()) {}
PictureDecoder::~PictureDecoder() = default;
PictureDecoder::PictureDecoder(PictureDecoder&&) noexcept = default;

PictureInfo PictureDecoder::open(std::string_view bytes, std::string origin) {
  State& s = *state_;
  s.bytes = bytes;
  s.origin = std::move(origin);
  if (looks_like_jpeg(bytes)) {
    s.info = s.jpeg.open(bytes, s.origin);
  } else if (looks_like_png(bytes)) {
    s.png_remarks.clear();
    s.info = inspect_png(bytes, s.origin);
  } else if (bytes.empty()) {
    raise(Fault::data, "{}: the file is empty; try: a whole copy of it", s.origin);
  } else {
    const std::string_view kind = other_format(bytes);
    if (kind.empty()) raise(Fault::data, "{}: it is neither a JPEG nor a PNG file", s.origin);
    raise(Fault::data, "{}: it is {}, neither a JPEG nor a PNG file; try: to save it as JPEG",
          s.origin, kind);
  }
  return s.info;
}

void PictureDecoder::decode(const PixelRect& region, DecodeSpeed speed, int shrink,
                            Pixels& pixels) {
  State& s = *state_;
  if (s.info.format == PictureFormat::jpeg) {
    s.jpeg.decode(region, speed, shrink, pixels);
  } else {
    decode_png(s.bytes, s.origin, pixels, s.png_remarks);
  }
}

const std::vector<std::string>& PictureDecoder::remarks() const {
  return state_->info.format == PictureFormat::jpeg ? state_->jpeg.remarks() : state_->png_remarks;
}

Pixels decode_picture(std::string_view bytes, const std::string& origin, bool upright) {
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(bytes, origin);
  Pixels pixels;
  decoder.decode({0, 0, info.width, info.height}, DecodeSpeed::exact, 1, pixels);
  if (upright) turn_upright(pixels, info.orientation);
  return pixels;
}

bool looks_like_picture(std::string_view bytes) {
  return looks_like_jpeg(bytes) || looks_like_png(bytes);
}

}  // namespace convoy
