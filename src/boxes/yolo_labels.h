// Reads a label file of YOLO: a line for each object, `class cx cy w h` as fractions of the
// picture's size, or `class x1 y1 x2 y2 x3 y3 ...`, a polygon of which the bounding box counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// All as fractions: the centre, the width and the height. Never NaN; the size is 0 or more, and the
// centre at most a hundredth beyond the picture.
struct YoloRow {
  int64_t number;  // of the class, from 0
  double cx, cy, width, height;
};

struct YoloProblem {
  int line;  // from 1
  std::string what;
  bool is_class = false;  // the class is unknown
};

struct YoloLabels {
  std::vector<YoloRow> rows;
  // At most most_problems; rows with problems are not in `rows`.
  std::vector<YoloProblem> problems;
  static constexpr size_t most_problems = 20;
};

// Any text gives rows and problems. `classes`: their number, which class numbers are below.
// `key_points`: what follows the fifth number of a line are key points, which are skipped.
// A byte order mark, empty lines and lines that end in CR LF are allowed; boxes and polygons in one
// file are not, because a polygon's other readers would misread them.
YoloLabels parse_yolo_labels(std::string_view text, int64_t classes, bool key_points);

}  // namespace convoy
