// Reads WebP files with libwebp: whole still pictures. Alpha is dropped, not blended; animations
// are refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_webp(std::string_view bytes);

// Reads only the header.
PictureInfo inspect_webp(std::string_view bytes, const std::string& origin);

// `remarks` stays empty: libwebp gives no warnings.
void decode_webp(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>& remarks);

}  // namespace convoy
