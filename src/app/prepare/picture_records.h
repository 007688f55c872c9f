// Converts a picture to a record in ImageNet's form, and reads such a record.
#pragma once

#include <string>

#include "app/prepare/raw_pictures.h"

namespace convoy {

struct PictureRecord {
  std::string payload;
  bool encoded_anew = false;  // was PNG or CMYK; now an RGB JPEG of quality 100
};

// `label` counts from 1. Reads the picture's header; a broken one is Fault::data.
PictureRecord make_record(const RawPicture& picture, int64_t label);

// The content of a record; the picture's header is read and must agree with it.
struct RecordFacts {
  std::string filename;
  int64_t label = 0;
};
RecordFacts check_record(std::string_view payload, const std::string& origin);

}  // namespace convoy
