// Reads JPEG files with libjpeg-turbo, which only this file and jpeg_pack.cpp use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_jpeg(std::string_view bytes);

// The same as PictureDecoder, for JPEG files only.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();

  PictureInfo open(std::string_view bytes, const std::string& origin);
  void decode(const PixelRect& region, DecodeSpeed speed, int shrink, Pixels& pixels);
  const std::vector<std::string>& remarks() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace convoy
