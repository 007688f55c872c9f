// The orientation that a camera wrote into a picture's EXIF data.
#pragma once

#include <string_view>

#include "pictures/picture.h"

namespace convoy {

// From a TIFF header and directory, as in JPEG's APP1 after "Exif\0\0" or PNG's eXIf: 1 to 8, and 1
// where nothing usable is said.
int exif_orientation(std::string_view tiff);

// Turns and mirrors the pixels so that a picture of that orientation stands upright.
void turn_upright(Pixels& pixels, int orientation);

}  // namespace convoy
