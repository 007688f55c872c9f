// WebP files by libwebp: whole still pictures. Transparency is left out, not blended; files with
// several pictures are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_webp(std::string_view bytes);

// From the header alone.
PictureInfo inspect_webp(std::string_view bytes, const std::string& origin);

// `remarks` stays empty: libwebp has none.
void decode_webp(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>& remarks);

}  // namespace convoy
