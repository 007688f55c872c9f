// Reads TIFF files with libtiff: the first page, whole, as eight-bit colour, rows in stored order.
// Supports uncompressed, PackBits, LZW, deflate and JPEG; other codings are refused by number.
// Alpha is dropped, not blended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_tiff(std::string_view bytes);

// Reads only the first directory.
PictureInfo inspect_tiff(std::string_view bytes, const std::string& origin);

// `remarks`: libtiff's warnings, and a note if there are more pages.
void decode_tiff(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>& remarks);

}  // namespace convoy
