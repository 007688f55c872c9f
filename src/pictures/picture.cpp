#include "pictures/picture.h"

#include "base/error.h"
#include "pictures/exif.h"
#include "pictures/jpeg.h"
#include "pictures/png.h"

namespace convoy {

struct PictureDecoder::State {
  JpegDecoder jpeg;
  PictureInfo info;
  std::string_view bytes;
  std::string origin;
  std::vector<std::string> none;
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
    s.info = inspect_png(bytes, s.origin);
  } else if (bytes.empty()) {
    raise(Fault::data, "{}: the file is empty; try: a whole copy of it", s.origin);
  } else {
    raise(Fault::data, "{}: it is neither a JPEG nor a PNG file", s.origin);
  }
  return s.info;
}

void PictureDecoder::decode(const PixelRect& region, DecodeSpeed speed, int shrink,
                            Pixels& pixels) {
  State& s = *state_;
  if (s.info.format == PictureFormat::jpeg) {
    s.jpeg.decode(region, speed, shrink, pixels);
  } else {
    decode_png(s.bytes, s.origin, pixels);
  }
}

const std::vector<std::string>& PictureDecoder::remarks() const {
  return state_->info.format == PictureFormat::jpeg ? state_->jpeg.remarks() : state_->none;
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
