// Reads the EXIF orientation of a picture and turns pixels upright.
#pragma once

#include <string_view>

#include "pictures/picture.h"

namespace convoy {

// Reads the orientation from TIFF data, as in JPEG's APP1 after "Exif\0\0" or PNG's eXIf: 1 to 8; 1
// if it has no usable value.
int exif_orientation(std::string_view tiff);

// Turns and mirrors pixels with this orientation so that they are upright.
void turn_upright(Pixels& pixels, int orientation);

}  // namespace convoy
