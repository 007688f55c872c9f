// A picture with what a network says about it, as a PNG file for people to look at.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "pictures/picture.h"

namespace convoy {

struct PredictionLine {
  std::string label;     // UTF-8; what is not is shown as question marks
  double p = 0;          // 0 to 1; the length of the bar
  bool is_true = false;  // the class that the picture really has
};

// The whole picture, and below it a line for each class: its name over a bar, its percentage.
// Longer sides than 1024 pixels become smaller, pictures below 320 larger by a whole factor. What
// cannot be written is a usage error.
void draw_prediction(const Pixels& pixels, const std::vector<PredictionLine>& lines,
                     const fs::path& out);

}  // namespace convoy
