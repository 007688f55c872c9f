// The settings by which encoded pictures become images of one size.
#pragma once

#include <cstdint>
#include <string>

#include "base/text/words.h"
#include "config/option_texts.h"
#include "pictures/picture.h"
#include "pictures/resize.h"

namespace convoy {

enum class ChannelOrder { rgb, bgr };
constexpr auto words_of(ChannelOrder) { return words<ChannelOrder>("rgb", "bgr"); }

struct PictureSpec {
  int64_t size = 224;           // height and width of the image
  int64_t channels = 3;         // 1: luminance only
  bool bgr = false;             // blue is the first channel
  std::string view = "centre";  // an entry of data/views
  OptionTexts options = {};     // of the view
  Interpolation how = Interpolation::bilinear;
  DecodeSpeed decode = DecodeSpeed::exact;
  bool upright = false;  // turn pictures by their EXIF data
  bool cache = true;     // keep encoded pictures while memory is free
  int label_offset = 0;  // added to every label
};

}  // namespace convoy
