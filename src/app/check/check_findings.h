// What is wrong with a dataset, and what is worth knowing about it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/check/check_files.h"

namespace convoy {

struct Finding {
  std::string file;   // or a class
  std::string other;  // the equal file, if any
  std::string what;   // the reason, or how the files are equal
};

struct FindingKind {
  std::string_view key;    // key in JSON
  std::string_view title;  // title for people
  bool is_wrong;           // false: only worth knowing
  std::vector<Finding> found;
};

// The number of pictures per split and class, including broken ones.
using ClassCounts = std::map<std::string, std::map<std::string, int64_t>>;

// What the annotations of a split have, if the set has boxes.
struct BoxCounts {
  std::string split;
  int64_t pictures = 0, without_boxes = 0, boxes = 0, crowds = 0;
  int64_t small = 0, medium = 0, large = 0;                   // boxes, by COCO's areas
  std::vector<std::pair<std::string, int64_t>> classes = {};  // in their order, with their boxes
};

struct Findings {
  std::vector<FindingKind> kinds;  // all kinds, also those without findings
  ClassCounts counts;              // split -> class -> pictures; "": without a class
  std::vector<BoxCounts> boxes;    // of each split; empty: the pictures have no boxes
  int64_t files = 0, pictures = 0, bytes = 0;

  bool anything_wrong() const;
};

// `files` must be sorted by path; the findings are then sorted too.
Findings find_out(const Tree& tree, const std::vector<CheckedFile>& files);

}  // namespace convoy
