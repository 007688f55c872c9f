#include "plot/picture_grid.h"

#include <algorithm>

#include "plot/canvas.h"
#include "plot/font.h"

namespace convoy {
namespace {

constexpr int64_t usual_side = 160, gap = 8, caption_height = Canvas::letter_height + 10;
constexpr Ink paper{255, 255, 255}, ink{30, 30, 30};

// Of a cell: the size at which all pictures fit.
struct CellSize {
  int64_t width = usual_side, height = usual_side;
};

CellSize cell_size(std::span<const GridCell> cells) {
  CellSize most{1, 1};
  for (const GridCell& cell : cells) {
    most.width = std::max(most.width, cell.pixels->region.width);
    most.height = std::max(most.height, cell.pixels->region.height);
  }
  const int64_t side = std::max(most.width, most.height);
  if (side > usual_side) {
    return {std::max<int64_t>(most.width * usual_side / side, 1),
            std::max<int64_t>(most.height * usual_side / side, 1)};
  }
  const int64_t factor = usual_side / side;
  return {most.width * factor, most.height * factor};
}

// The nearest pixels, so that those of small pictures are seen.
void draw(const Pixels& pixels, const PixelRect& box, Canvas& canvas) {
  const PixelRect& from = pixels.region;
  for (int64_t y = 0; y < box.height; ++y) {
    for (int64_t x = 0; x < box.width; ++x) {
      const uint8_t* p =
          pixels.at(from.x + x * from.width / box.width, from.y + y * from.height / box.height);
      canvas.fill({box.x + x, box.y + y, 1, 1}, {p[0], p[1], p[2]});
    }
  }
}

std::string fitting(std::string_view caption, int64_t width) {
  std::string text = printable(caption);
  const auto most = static_cast<size_t>(std::max<int64_t>(width / Canvas::letter_step, 0));
  if (text.size() > most) text = text.substr(0, most > 2 ? most - 2 : 0) + "..";
  return text;
}

}  // namespace

Pixels picture_grid(std::span<const GridCell> cells, int columns) {
  const CellSize size = cell_size(cells);
  const bool has_captions =
      std::ranges::any_of(cells, [](const GridCell& c) { return !c.caption.empty(); });
  const int64_t across = std::clamp<int64_t>(std::ssize(cells), 1, columns);
  const int64_t down = std::max<int64_t>((std::ssize(cells) + across - 1) / across, 1);
  const int64_t step_x = std::max(size.width, usual_side) + gap;
  const int64_t step_y = size.height + gap + (has_captions ? caption_height : 0);
  Canvas canvas(across * step_x + gap, down * step_y + gap, paper);
  for (int64_t i = 0; i < std::ssize(cells); ++i) {
    const GridCell& cell = cells[static_cast<size_t>(i)];
    const int64_t x = gap + i % across * step_x, y = gap + i / across * step_y;
    draw(*cell.pixels, {x, y, size.width, size.height}, canvas);
    canvas.text(x, y + size.height + 4, fitting(cell.caption, step_x - gap), ink);
  }
  return canvas.pixels();
}

}  // namespace convoy
