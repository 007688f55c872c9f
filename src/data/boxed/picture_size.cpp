#include "data/boxed/picture_size.h"

#include <algorithm>

#include "base/error.h"
#include "base/files/random_file.h"

namespace convoy {

PictureInfo read_picture_info(const std::string& path) {
  // The size nearly always is in this part. (Previews in EXIF data can be longer.)
  constexpr uint64_t first_part = 64 << 10;
  const RandomFile file(path, Fault::data);
  PictureDecoder decoder;
  if (file.size() > first_part) {
    const std::string bytes = file.read(0, first_part);
    try {
      return decoder.open(bytes, path);
    } catch (const Error&) {  // what the whole file says counts
    }
  }
  const std::string bytes = file.read(0, static_cast<size_t>(file.size()));
  return decoder.open(bytes, path);
}

PictureSize size_of(const PictureInfo& info, bool upright) {
  const bool lies = upright && info.orientation >= 5;
  return lies ? PictureSize{info.height, info.width} : PictureSize{info.width, info.height};
}

}  // namespace convoy
