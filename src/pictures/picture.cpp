#include "pictures/picture.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "pictures/bmp.h"
#include "pictures/exif.h"
#include "pictures/jpeg.h"
#include "pictures/png.h"
#include "pictures/tiff.h"
#include "pictures/webp.h"

namespace convoy {

namespace {

// A format whose pictures are always decoded whole.
struct WholeFormat {
  PictureFormat format;
  bool (*looks_like)(std::string_view bytes);
  PictureInfo (*inspect)(std::string_view bytes, const std::string& origin);
  void (*decode)(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>& remarks);
};

constexpr std::array<WholeFormat, 4> whole_formats{
    {{PictureFormat::png, looks_like_png, inspect_png, decode_png},
     {PictureFormat::bmp, looks_like_bmp, inspect_bmp, decode_bmp},
     {PictureFormat::tiff, looks_like_tiff, inspect_tiff, decode_tiff},
     {PictureFormat::webp, looks_like_webp, inspect_webp, decode_webp}}};

const WholeFormat* whole_format(std::string_view bytes) {
  const auto found = std::ranges::find_if(
      whole_formats, [&](const WholeFormat& one) { return one.looks_like(bytes); });
  return found == whole_formats.end() ? nullptr : &*found;
}

// The name of a format that we do not read; empty: unknown.
std::string_view other_format(std::string_view bytes) {
  struct Format {
    size_t at;
    std::string_view begins, name;
  };
  for (const Format& format :
       {Format{0, "GIF8", "a GIF file"}, Format{4, "ftyp", "a HEIF or AVIF file"},
        Format{128, "DICM", "a DICOM file"}, Format{0, {"\0\0\0\x0cjP", 6}, "a JPEG 2000 file"},
        Format{0, "8BPS", "a Photoshop file"}, Format{0, "P6", "a PPM file"},
        Format{0, "P5", "a PGM file"}, Format{0, "<", "a web page"}}) {
    if (bytes.size() > format.at && bytes.substr(format.at).starts_with(format.begins)) {
      return format.name;
    }
  }
  return {};
}

[[noreturn]] void refuse_unknown(std::string_view bytes, const std::string& origin) {
  if (bytes.empty()) raise(Fault::data, "{}: the file is empty; try: a whole copy of it", origin);
  constexpr std::string_view known = "neither a JPEG nor a PNG, BMP, TIFF or WebP file";
  const std::string_view kind = other_format(bytes);
  if (kind.empty()) raise(Fault::data, "{}: it is {}", origin, known);
  raise(Fault::data, "{}: it is {}, {}; try: to save it as JPEG or PNG", origin, kind, known);
}

}  // namespace

std::string_view name(PictureFormat format) {
  switch (format) {
    case PictureFormat::jpeg:
      return "JPEG";
    case PictureFormat::png:
      return "PNG";
    case PictureFormat::bmp:
      return "BMP";
    case PictureFormat::tiff:
      return "TIFF";
    case PictureFormat::webp:
      return "WebP";
  }
  return "";
}

struct PictureDecoder::State {
  JpegDecoder jpeg;
  const WholeFormat* whole = nullptr;  // null: a JPEG
  PictureInfo info;
  std::string_view bytes;
  std::string origin;
  std::vector<std::string> remarks;  // for formats of `whole`
};

PictureDecoder::PictureDecoder() : state_(std::make_unique<State>()) {}
PictureDecoder::~PictureDecoder() = default;
PictureDecoder::PictureDecoder(PictureDecoder&&) noexcept = default;

PictureInfo PictureDecoder::open(std::string_view bytes, std::string origin) {
  State& s = *state_;
  s.bytes = bytes;
  s.origin = std::move(origin);
  s.whole = nullptr;
  s.remarks.clear();
  if (looks_like_jpeg(bytes)) {
    s.info = s.jpeg.open(bytes, s.origin);
    return s.info;
  }
  s.whole = whole_format(bytes);
  if (!s.whole) refuse_unknown(bytes, s.origin);
  s.info = s.whole->inspect(bytes, s.origin);
  return s.info;
}

void PictureDecoder::decode(const PixelRect& region, DecodeSpeed speed, int shrink,
                            Pixels& pixels) {
  State& s = *state_;
  if (s.whole) {
    s.whole->decode(s.bytes, s.origin, pixels, s.remarks);
  } else {
    s.jpeg.decode(region, speed, shrink, pixels);
  }
}

const std::vector<std::string>& PictureDecoder::remarks() const {
  return state_->whole ? state_->remarks : state_->jpeg.remarks();
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
  return looks_like_jpeg(bytes) || whole_format(bytes);
}

}  // namespace convoy
