// Draws a picture with the classes or objects that a network found as a PNG file, for people.
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

struct DrawnObject {
  double x = 0, y = 0, width = 0, height = 0;  // in pixels of the picture; may reach outside
  std::string label;                           // UTF-8, with the score if there is one
  int64_t colour = 0;  // objects with the same number have the same colour: their class
};

// The whole picture, and below it a line for each class: its name over a bar, its percentage. A
// picture with a side above 1024 pixels is reduced; one below 320 is enlarged by a whole factor. A
// failed write is a usage error.
void draw_prediction(const Pixels& pixels, const std::vector<PredictionLine>& lines,
                     const fs::path& out);

// The picture, resized in the same way, with a frame around each object and its label above it, or
// inside it where there is no room above. The first object is drawn last, over all others.
void draw_objects(const Pixels& pixels, const std::vector<DrawnObject>& objects,
                  const fs::path& out);
// The same as pixels.
Pixels drawn_objects(const Pixels& pixels, const std::vector<DrawnObject>& objects);

}  // namespace convoy
