// TIFF files by libtiff: the first page, whole, as eight-bit colour, in rows as they are stored.
// Uncompressed, PackBits, LZW, deflate and JPEG; other codings are refused by number. Transparency
// is left out, not blended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_tiff(std::string_view bytes);

// From the first directory alone.
PictureInfo inspect_tiff(std::string_view bytes, const std::string& origin);

// `remarks`: libtiff's warnings, and that there are more pages.
void decode_tiff(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>& remarks);

}  // namespace convoy
