// PNG files by libpng: whole pictures, as eight-bit colour. Transparency is left out, not blended,
// as Pillow's conversion to RGB does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_png(std::string_view bytes);

// From the header alone.
PictureInfo inspect_png(std::string_view bytes, const std::string& origin);

// `remarks`: libpng's warnings.
void decode_png(std::string_view bytes, const std::string& origin, Pixels& pixels,
                std::vector<std::string>& remarks);

// A PNG file of the pixels of a whole region, eight-bit colour.
std::string encode_png(const Pixels& pixels);

}  // namespace convoy
