// Reads BMP files with our own code: headers of OS/2 and Windows, palettes of 1, 4 and 8 bits, and
// pixels of 16, 24 and 32 bits. Run-length coding and embedded JPEG or PNG files are refused by
// name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_bmp(std::string_view bytes);

// Reads only the headers. The file must contain all the pixels they declare.
PictureInfo inspect_bmp(std::string_view bytes, const std::string& origin);

// `remarks` stays empty: a BMP file has no defects that can be ignored.
void decode_bmp(std::string_view bytes, const std::string& origin, Pixels& pixels,
                std::vector<std::string>& remarks);

}  // namespace convoy
