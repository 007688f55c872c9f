// A picture as a record of ImageNet's, and back.
#pragma once

#include <string>

#include "app/prepare/raw_pictures.h"

namespace convoy {

struct PictureRecord {
  std::string payload;
  bool encoded_anew = false;  // was PNG or CMYK: now an RGB JPEG of quality 100
};

// `label` counts from 1. The picture's header is read; one that is broken is Fault::data.
PictureRecord make_record(const RawPicture& picture, int64_t label);

// What a record says; its picture's header is read and must agree.
struct RecordFacts {
  std::string filename;
  int64_t label = 0;
};
RecordFacts check_record(std::string_view payload, const std::string& origin);

}  // namespace convoy
