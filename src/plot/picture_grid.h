// Draws pictures side by side, each with a line of text below it.
#pragma once

#include <span>
#include <string_view>

#include "pictures/picture.h"

namespace convoy {

struct GridCell {
  const Pixels* pixels;
  std::string_view caption;  // shortened to the width of its cell
};

// Small pictures are enlarged by a whole factor to about 160 pixels, large ones reduced. `columns`:
// at most that many side by side.
Pixels picture_grid(std::span<const GridCell> cells, int columns);

}  // namespace convoy
