// How encoded pictures become images of one size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pictures/picture.h"
#include "pictures/resize.h"

namespace convoy {

struct PictureSpec {
  int64_t size = 224;           // height and width of the image
  int64_t channels = 3;         // 1: brightness alone
  bool bgr = false;             // blue first
  std::string view = "centre";  // an entry of data/views
  int64_t resize = 256;         // centre: the shorter side before the crop
  std::vector<double> area;     // random views: smallest and largest share; empty: the view's own
  std::vector<double> ratio;    // width / height of the crop, likewise
  Interpolation how = Interpolation::bilinear;
  DecodeSpeed decode = DecodeSpeed::exact;
  bool upright = false;  // turn pictures as their EXIF data say
  bool cache = true;     // keep encoded pictures while memory is free
  int label_offset = 0;  // added to every label
};

}  // namespace convoy
