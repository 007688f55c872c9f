// BMP files, read by ourselves: the headers of OS/2 and of Windows, palettes of 1, 4 and 8 bits,
// and pixels of 16, 24 and 32 bits. Run-length coding and embedded JPEG or PNG files are refused by
// name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_bmp(std::string_view bytes);

// From the headers alone. The file must have all the pixels that they tell of.
PictureInfo inspect_bmp(std::string_view bytes, const std::string& origin);

// `remarks` stays empty: there is nothing that is wrong and does not matter.
void decode_bmp(std::string_view bytes, const std::string& origin, Pixels& pixels,
                std::vector<std::string>& remarks);

}  // namespace convoy
