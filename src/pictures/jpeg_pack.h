// Packs JPEG files for fast crops: the same coefficients, written again with a restart marker every
// few blocks and an index of the stretches between them (docs/formats/packed_jpeg.md). Every
// program can show such a file; we decode only the stretches that a crop touches.
#pragma once

#include <string>
#include <string_view>

#include "pictures/picture.h"

namespace convoy {

// The packed picture, without any loss; other markers (EXIF, colour profiles) are kept. A file that
// is damaged or not an 8-bit JPEG is Fault::data.
std::string pack_jpeg(std::string_view bytes, const std::string& origin);

bool is_packed(std::string_view bytes);

}  // namespace convoy
