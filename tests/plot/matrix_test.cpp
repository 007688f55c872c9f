#include "plot/matrix.h"

#include <gtest/gtest.h>

#include "plot/canvas.h"

namespace convoy {
namespace {

MatrixPlot some(size_t rows, size_t columns) {
  MatrixPlot plot{.title = "title",
                  .row_title = "found",
                  .column_title = "truth",
                  .rows = {},
                  .columns = {},
                  .shares = {},
                  .texts = {}};
  for (size_t i = 0; i < rows; ++i) plot.rows.push_back("row " + std::to_string(i));
  for (size_t i = 0; i < columns; ++i) plot.columns.push_back("column " + std::to_string(i));
  for (size_t i = 0; i < rows * columns; ++i) {
    plot.shares.push_back(static_cast<double>(i) / static_cast<double>(rows * columns - 1));
    plot.texts.emplace_back();
  }
  return plot;
}

int brightness(const Pixels& pixels, const PixelRect& cell) {
  const uint8_t* at = pixels.at(cell.x + 2, cell.y + 2);
  return at[0] + at[1] + at[2];
}

TEST(Matrix, LargerSharesAreDarker) {
  const MatrixPlot plot = some(3, 2);
  const Pixels drawn = draw(plot);
  int last = 1000;
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 2; ++column) {
      const int now = brightness(drawn, matrix_cell(plot, row, column));
      EXPECT_LT(now, last);
      last = now;
    }
  }
  EXPECT_EQ(brightness(drawn, matrix_cell(plot, 0, 0)), 3 * 255);
}

TEST(Matrix, CellsLieInThePictureWithoutOverlap) {
  for (const size_t size : {1u, 5u, 81u}) {
    const MatrixPlot plot = some(size, size);
    const Pixels drawn = draw(plot);
    const PixelRect first = matrix_cell(plot, 0, 0), last = matrix_cell(plot, size - 1, size - 1);
    EXPECT_GE(first.x, 0);
    EXPECT_LE(last.x + last.width, drawn.region.width);
    EXPECT_LE(last.y + last.height, drawn.region.height);
    if (size == 1) continue;
    EXPECT_EQ(matrix_cell(plot, 0, 1).x, first.x + first.width);
    EXPECT_EQ(matrix_cell(plot, 1, 0).y, first.y + first.height);
  }
}

TEST(Matrix, NumbersStandInTheirCells) {
  MatrixPlot plot = some(2, 2);
  const Pixels plain = draw(plot);
  plot.texts[2] = "417";
  const Pixels drawn = draw(plot);
  const PixelRect cell = matrix_cell(plot, 1, 0);
  int changed = 0;
  for (int64_t y = 0; y < drawn.region.height; ++y) {
    for (int64_t x = 0; x < drawn.region.width; ++x) {
      if (std::equal(drawn.at(x, y), drawn.at(x, y) + 3, plain.at(x, y))) continue;
      ++changed;
      EXPECT_TRUE(x >= cell.x && x < cell.x + cell.width && y >= cell.y &&
                  y < cell.y + cell.height);
    }
  }
  EXPECT_GT(changed, 50);
}

}  // namespace
}  // namespace convoy
