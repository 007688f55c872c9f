#include "plot/picture_grid.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "plot/canvas.h"
#include "plot/font.h"

namespace convoy {
namespace {

constexpr int64_t gap = 8, line_height = Canvas::letter_height + 6;
constexpr size_t most_lines = 3;
constexpr Ink paper{255, 255, 255}, ink{30, 30, 30};

// Of a cell: the size at which all pictures fit.
struct CellSize {
  int64_t width, height;
};

CellSize cell_size(std::span<const GridCell> cells, int64_t wanted) {
  CellSize most{1, 1};
  for (const GridCell& cell : cells) {
    most.width = std::max(most.width, cell.pixels->region.width);
    most.height = std::max(most.height, cell.pixels->region.height);
  }
  const int64_t side = std::max(most.width, most.height);
  if (side > wanted) {
    return {std::max<int64_t>(most.width * wanted / side, 1),
            std::max<int64_t>(most.height * wanted / side, 1)};
  }
  const int64_t factor = wanted / side;
  return {most.width * factor, most.height * factor};
}

// The mean of the pixels of a rectangle, at least of one.
Ink mean_of(const Pixels& pixels, const PixelRect& area) {
  std::array<int64_t, 3> sums{};
  const int64_t right = std::max(area.width, int64_t{1}), down = std::max(area.height, int64_t{1});
  for (int64_t y = 0; y < down; ++y) {
    for (int64_t x = 0; x < right; ++x) {
      const uint8_t* p = pixels.at(area.x + x, area.y + y);
      for (size_t c = 0; c < 3; ++c) sums[c] += p[c];
    }
  }
  const auto mean = [&](size_t c) { return static_cast<uint8_t>(sums[c] / (right * down)); };
  return {mean(0), mean(1), mean(2)};
}

// The first of `to` that belongs to `at` of `from` when a line is stretched.
int64_t stretched(int64_t at, int64_t from, int64_t to) { return (at * to + from - 1) / from; }

// Enlarged by the nearest pixels, so that those of small pictures are seen; reduced by means, so
// that thin lines stay.
void draw(const Pixels& pixels, const PixelRect& box, Canvas& canvas) {
  const PixelRect& from = pixels.region;
  if (box.width >= from.width && box.height >= from.height) {
    for (int64_t y = 0; y < from.height; ++y) {
      const int64_t top = stretched(y, from.height, box.height);
      const int64_t bottom = stretched(y + 1, from.height, box.height);
      for (int64_t x = 0; x < from.width; ++x) {
        const int64_t left = stretched(x, from.width, box.width);
        const int64_t right = stretched(x + 1, from.width, box.width);
        const uint8_t* p = pixels.at(from.x + x, from.y + y);
        canvas.fill({box.x + left, box.y + top, right - left, bottom - top}, {p[0], p[1], p[2]});
      }
    }
    return;
  }
  for (int64_t y = 0; y < box.height; ++y) {
    const int64_t top = y * from.height / box.height, end = (y + 1) * from.height / box.height;
    for (int64_t x = 0; x < box.width; ++x) {
      const int64_t left = x * from.width / box.width, right = (x + 1) * from.width / box.width;
      canvas.fill({box.x + x, box.y + y, 1, 1},
                  mean_of(pixels, {from.x + left, from.y + top, right - left, end - top}));
    }
  }
}

// In lines of at most `letters`, broken between words where it can be.
std::vector<std::string> lines_of(std::string_view caption, size_t letters) {
  std::string text = printable(caption);
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most_lines) {
    size_t end = std::min(text.size(), letters);
    if (end < text.size()) {
      const size_t blank = text.rfind(' ', end);
      if (blank != text.npos && blank > 0) end = blank;
    }
    lines.push_back(text.substr(0, end));
    text.erase(0, std::min(text.find_first_not_of(' ', end), text.size()));
  }
  if (!text.empty() && letters > 2) lines.back() = lines.back().substr(0, letters - 2) + "..";
  return lines;
}

}  // namespace

Pixels picture_grid(std::span<const GridCell> cells, int columns, int64_t side) {
  const CellSize size = cell_size(cells, side);
  const int64_t across = std::clamp<int64_t>(std::ssize(cells), 1, columns);
  const int64_t down = std::max<int64_t>((std::ssize(cells) + across - 1) / across, 1);
  const int64_t step_x = std::max(size.width, side) + gap;
  std::vector<std::vector<std::string>> captions;
  size_t lines = 0;
  for (const GridCell& cell : cells) {
    captions.push_back(
        lines_of(cell.caption, static_cast<size_t>((step_x - gap) / Canvas::letter_step)));
    lines = std::max(lines, captions.back().size());
  }
  const int64_t step_y = size.height + 2 * gap + static_cast<int64_t>(lines) * line_height;
  Canvas canvas(across * step_x + gap, down * step_y + gap, paper);
  for (int64_t i = 0; i < std::ssize(cells); ++i) {
    const int64_t x = gap + i % across * step_x, y = gap + i / across * step_y;
    draw(*cells[static_cast<size_t>(i)].pixels, {x, y, size.width, size.height}, canvas);
    int64_t text_y = y + size.height + 4;
    for (const std::string& line : captions[static_cast<size_t>(i)]) {
      canvas.text(x, text_y, line, ink);
      text_y += line_height;
    }
  }
  return canvas.pixels();
}

}  // namespace convoy
