#include "plot/matrix.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "plot/canvas.h"
#include "plot/font.h"

namespace convoy {
namespace {

constexpr Ink paper{255, 255, 255}, ink{30, 30, 34}, light{255, 255, 255}, dark{31, 72, 140},
    line{214, 218, 226};
constexpr int64_t margin = 16, most_name = 16, row_height = Canvas::letter_height + 8;
constexpr int64_t largest = 72, smallest = 8, most_side = 900;

std::string shortened(const std::string& name) {
  return name.size() <= most_name ? name : name.substr(0, most_name - 1) + ".";
}

int64_t name_width(const std::vector<std::string>& names) {
  int64_t width = 0;
  for (const std::string& name : names) {
    width = std::max(width, Canvas::text_width(shortened(name)));
  }
  return width;
}

int64_t cell_side(const MatrixPlot& plot) {
  const auto most = std::max<int64_t>(1, std::ssize(plot.rows));
  return std::clamp(most_side / most, smallest, largest);
}

int64_t left_of(const MatrixPlot& plot) { return margin + name_width(plot.rows) + 10; }
int64_t top_of() { return margin + 2 * row_height; }

Ink shade(double share) {
  const double part = std::clamp(share, 0.0, 1.0);
  const auto mixed = [&](uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(std::lround(a + (b - a) * std::sqrt(part)));
  };
  return {mixed(light.red, dark.red), mixed(light.green, dark.green), mixed(light.blue, dark.blue)};
}

// The names of columns are written from top to bottom, letter below letter.
void write_down(Canvas& canvas, int64_t x, int64_t y, const std::string& words) {
  for (const char letter : printable(words)) {
    canvas.text(x, y, std::string(1, letter), ink);
    y += Canvas::letter_height + 3;
  }
}

void draw_cell(Canvas& canvas, const MatrixPlot& plot, size_t row, size_t column) {
  const PixelRect cell = matrix_cell(plot, row, column);
  const size_t at = row * plot.columns.size() + column;
  canvas.fill(cell, line);
  canvas.fill({cell.x, cell.y, cell.width - 1, cell.height - 1}, shade(plot.shares[at]));
  const std::string& text = plot.texts[at];
  const int64_t width = Canvas::text_width(text);
  if (text.empty() || width + 4 > cell.width || row_height > cell.height) return;
  canvas.text(cell.x + (cell.width - width) / 2, cell.y + (cell.height - Canvas::letter_height) / 2,
              text, plot.shares[at] > 0.25 ? paper : ink);
}

}  // namespace

PixelRect matrix_cell(const MatrixPlot& plot, size_t row, size_t column) {
  const int64_t side = cell_side(plot);
  return {left_of(plot) + static_cast<int64_t>(column) * side,
          top_of() + static_cast<int64_t>(row) * side, side, side};
}

Pixels draw(const MatrixPlot& plot) {
  const size_t entries = plot.rows.size() * plot.columns.size();
  expect(entries > 0 && plot.shares.size() == entries && plot.texts.size() == entries,
         "a matrix with all its entries");
  const int64_t side = cell_side(plot), left = left_of(plot), top = top_of();
  const auto columns = std::ssize(plot.columns), rows = std::ssize(plot.rows);
  size_t longest = 0;
  for (const std::string& name : plot.columns) longest = std::max(longest, shortened(name).size());
  const int64_t below = static_cast<int64_t>(longest) * (Canvas::letter_height + 3);
  const int64_t width = std::max({left + columns * side, margin + Canvas::text_width(plot.title),
                                  margin + Canvas::text_width(plot.row_title),
                                  left + Canvas::text_width(plot.column_title)}) +
                        margin;
  Canvas canvas(width, top + rows * side + 10 + below + row_height + margin, paper);
  canvas.text(margin, margin, plot.title, ink, true);
  canvas.text(margin, margin + row_height, plot.row_title, ink);
  const bool has_names = side >= Canvas::letter_height + 2;
  for (int64_t row = 0; row < rows; ++row) {
    const std::string name = shortened(plot.rows[static_cast<size_t>(row)]);
    if (has_names) {
      canvas.text(left - 8 - Canvas::text_width(name),
                  top + row * side + (side - Canvas::letter_height) / 2, name, ink);
    }
    for (int64_t column = 0; column < columns; ++column) {
      draw_cell(canvas, plot, static_cast<size_t>(row), static_cast<size_t>(column));
    }
  }
  for (int64_t column = 0; column < columns && has_names; ++column) {
    write_down(canvas, left + column * side + (side - Canvas::letter_step) / 2,
               top + rows * side + 8, shortened(plot.columns[static_cast<size_t>(column)]));
  }
  canvas.text(left, top + rows * side + 10 + below, plot.column_title, ink);
  return canvas.pixels();
}

}  // namespace convoy
