// Draws a matrix of shares as a picture: a square for each entry, the darker the larger, its
// number, and the names of rows and columns.
#pragma once

#include <string>
#include <vector>

#include "pictures/picture.h"

namespace convoy {

struct MatrixPlot {
  std::string title, row_title, column_title;
  std::vector<std::string> rows, columns;
  std::vector<double> shares;      // [rows][columns], 0 to 1: the colour
  std::vector<std::string> texts;  // [rows][columns]; where they do not fit they are left out
};

Pixels draw(const MatrixPlot& plot);

// The square of an entry in the picture.
PixelRect matrix_cell(const MatrixPlot& plot, size_t row, size_t column);

}  // namespace convoy
