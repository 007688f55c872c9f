// What is wrong with a dataset, and what its owner may want to know.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/check/check_files.h"

namespace convoy {

struct Finding {
  std::string file;   // or class
  std::string other;  // the file it equals, where it does
  std::string what;   // why, or how it equals the other
};

struct FindingKind {
  const char* key;    // in JSON
  const char* title;  // for people
  bool is_wrong;      // or only worth knowing
  std::vector<Finding> found;
};

// Pictures of each class, broken ones too, in each split.
using ClassCounts = std::map<std::string, std::map<std::string, int64_t>>;

struct Findings {
  std::vector<FindingKind> kinds;  // all, also those of which there is nothing
  ClassCounts counts;              // split -> class -> pictures; "" is no class
  int64_t files = 0, pictures = 0, bytes = 0;

  bool anything_wrong() const;
};

// Of files in the order of their paths; so the result has an order too.
Findings find_out(const Tree& tree, const std::vector<CheckedFile>& files);

}  // namespace convoy
