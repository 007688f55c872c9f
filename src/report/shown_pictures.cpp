#include "report/shown_pictures.h"

#include "plot/picture_grid.h"

namespace convoy {

Pixels grid_of(const PicturesShown& shown) {
  constexpr int columns = 4;
  constexpr int64_t usual = 160, detailed = 320;
  std::vector<GridCell> cells;
  for (const PicturesShown::One& one : shown.all) cells.push_back({&one.pixels, one.caption});
  return picture_grid(cells, columns, shown.detailed ? detailed : usual);
}

}  // namespace convoy
