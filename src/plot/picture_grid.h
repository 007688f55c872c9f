// Draws pictures side by side, each with a few lines of text below it.
#pragma once

#include <span>
#include <string_view>

#include "pictures/picture.h"

namespace convoy {

struct GridCell {
  const Pixels* pixels;
  std::string_view caption;  // up to three lines as wide as its cell; the rest is left out
};

// Pictures smaller than `side` are enlarged by a whole factor, larger ones reduced. `columns`: at
// most that many side by side.
Pixels picture_grid(std::span<const GridCell> cells, int columns, int64_t side);

}  // namespace convoy
