// Reads and writes PNG files with libpng: whole pictures, as eight-bit colour. Alpha is dropped,
// not blended, like in Pillow's conversion to RGB.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

bool looks_like_png(std::string_view bytes);

// Reads only the header.
PictureInfo inspect_png(std::string_view bytes, const std::string& origin);

// `remarks`: libpng's warnings.
void decode_png(std::string_view bytes, const std::string& origin, Pixels& pixels,
                std::vector<std::string>& remarks);

// Quick takes a third of the time and makes a file about a tenth larger: for what a run writes
// while it trains.
enum class PngEffort { usual, quick };
// Encodes all pixels of the region as a PNG file, eight-bit colour.
std::string encode_png(const Pixels& pixels, PngEffort effort = PngEffort::usual);

}  // namespace convoy
