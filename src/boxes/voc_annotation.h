// Reads an annotation file of Pascal VOC: XML about one picture and its objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// In pixels, which count from 1 and may be fractions: xmin is the object's first column, xmax its
// last. Finite, at most a billion; xmax can be less than xmin.
struct VocObject {
  std::string name;
  double xmin = 0, ymin = 0, xmax = 0, ymax = 0;
  bool difficult = false;
};

struct VocAnnotation {
  std::string file;               // <filename>; empty: the file does not say
  int64_t width = 0, height = 0;  // in pixels; 0: the file does not say
  std::vector<VocObject> objects;
};

struct VocProblem {
  int line;  // from 1; 0: none in particular
  std::string what;
};

struct VocRead {
  VocAnnotation annotation;
  // Empty: all is right. At most most_problems.
  std::vector<VocProblem> problems;
  static constexpr size_t most_problems = 20;
};

// Any text gives an annotation and problems. Parts of objects, polygons, poses and all else are
// skipped.
VocRead parse_voc_annotation(std::string_view text);

}  // namespace convoy
