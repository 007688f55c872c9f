// The sizes of many pictures, by their headers.
#pragma once

#include <string>
#include <vector>

#include "base/threads/thread_pool.h"
#include "pictures/picture.h"

namespace convoy {

// Reads the header, in most cases without reading the whole file. A file that is no picture is
// Fault::data.
PictureInfo read_picture_info(const std::string& path);

// Width and height turned by the EXIF orientation, or as stored.
struct PictureSize {
  int64_t width = 0, height = 0;
  bool operator==(const PictureSize&) const = default;
};
PictureSize size_of(const PictureInfo& info, bool upright);

}  // namespace convoy
