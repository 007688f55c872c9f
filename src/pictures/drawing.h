// Draws a picture with the predictions of a network as a PNG file, for people.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "pictures/picture.h"

namespace convoy {

struct PredictionLine {
  std::string label;     // UTF-8; invalid bytes are shown as question marks
  double p = 0;          // 0 to 1; the length of the bar
  bool is_true = false;  // the true class of the picture
};

// The whole picture, and below it a line for each class: its name over a bar, its percentage. A
// picture with a side above 1024 pixels is reduced; one below 320 is enlarged by a whole factor. A
// failed write is a usage error.
void draw_prediction(const Pixels& pixels, const std::vector<PredictionLine>& lines,
                     const fs::path& out);

}  // namespace convoy
