// Shapes of default boxes as text, for options: width x height as fractions of the image, joined by
// plus signs: "0.1x0.2+0.25x0.25".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "boxes/default_boxes.h"

namespace convoy {

// Sides are above 0 and at most 1. Another text is a usage error that names it.
std::vector<BoxShape> parse_box_shapes(std::string_view text);

// With four decimals, which is less than a tenth of a pixel.
std::string text_of(std::span<const BoxShape> shapes);

}  // namespace convoy
